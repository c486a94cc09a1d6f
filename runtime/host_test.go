package runtime

import (
	"context"
	"log/slog"
	"testing"
	"time"
)

// newTestWorker is a worker that the test shuts down.
func newTestWorker(tb testing.TB, opts ...Option) *Worker {
	tb.Helper()
	w, err := NewWorker(append([]Option{WithLogger(slog.New(slog.DiscardHandler))}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := w.Shutdown(ctx); err != nil {
			tb.Error(err)
		}
	})
	return w
}
