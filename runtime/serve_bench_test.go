package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

// nowhere is a ResponseWriter that costs nothing.
type nowhere struct{ header http.Header }

func (w *nowhere) Header() http.Header         { return w.header }
func (w *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (w *nowhere) WriteHeader(int)             {}

// BenchmarkServe compares a route with what a handler by hand would be, without
// the network.
func BenchmarkServe(b *testing.B) {
	b.Run("route", func(b *testing.B) {
		w, err := runtime.NewWorker(runtime.WithLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			b.Fatal(err)
		}
		sample.Register(w)
		if err := w.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			if err := w.Shutdown(context.Background()); err != nil {
				b.Error(err)
			}
		})
		benchmarkHandler(b, w, "/chats/lobby/text")
		benchmarkHandler(b, w, "/chats/lobby/topic")
	})
	b.Run("bare", func(b *testing.B) {
		var mu sync.Mutex
		topic := sample.Topic{Text: "go"}
		mux := http.NewServeMux()
		mux.HandleFunc("GET /chats/{id}/topic", func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			body, err := json.Marshal(topic)
			mu.Unlock()
			if err != nil {
				http.Error(w, err.Error(), 500)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})
		benchmarkHandler(b, mux, "/chats/lobby/topic")
	})
}

func benchmarkHandler(b *testing.B, h http.Handler, path string) {
	b.Run(path, func(b *testing.B) {
		r := httptest.NewRequestWithContext(b.Context(), "GET", path, nil)
		w := &nowhere{http.Header{}}
		b.ReportAllocs()
		for b.Loop() {
			clear(w.header)
			h.ServeHTTP(w, r)
		}
	})
}
