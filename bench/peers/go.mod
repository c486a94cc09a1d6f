module github.com/pinned-go/pinned/bench/peers

go 1.26.0

toolchain go1.26.8

tool (
	github.com/jmattheis/goverter/cmd/goverter
	golang.org/x/tools/cmd/stringer
)

require github.com/gorilla/websocket v1.5.3

require (
	github.com/dave/jennifer v1.6.0 // indirect
	github.com/jmattheis/goverter v1.11.1 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
