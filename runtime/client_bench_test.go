package runtime_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

// BenchmarkCall is a unary call with a JSON result, in process and over loopback.
func BenchmarkCall(b *testing.B) {
	w, err := runtime.NewWorker()
	if err != nil {
		b.Fatal(err)
	}
	sample.Register(w)
	if err := w.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.Handler(w))
	b.Cleanup(func() {
		server.Close()
		_ = w.Shutdown(context.Background())
	})
	for name, client := range map[string]sample.Client{
		"in process":       sample.InProcess(w),
		"over the network": sample.NewClient(server.URL),
	} {
		room := client.Room("lobby")
		b.Run(name+"/unary", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := room.Topic(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/unary with a body", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := room.SetTopic(b.Context(), sample.SetTopic{Text: "so it goes"}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/an element of a stream", func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for n < b.N {
				for _, err := range room.Upper(b.Context()) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
			}
		})
	}
}
