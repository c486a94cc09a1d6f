module github.com/pinned-go/pinned

go 1.26.0
