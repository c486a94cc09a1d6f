package runtime_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/runtime"
)

// thing is an object whose routes a test writes by hand, in place of generated
// code.
type thing struct {
	pinned.Object

	count int
}

type thingRoute = runtime.Route[thing]

// serveThings serves things at /things over a real socket. The patterns of the
// routes have no wildcards.
func serveThings(t *testing.T, table pinned.Errors, routes ...thingRoute) *served {
	t.Helper()
	return serveThingsWith(t, nil, table, routes...)
}

func serveThingsWith(t *testing.T, opts []runtime.Option, table pinned.Errors, routes ...thingRoute) *served {
	t.Helper()
	s := &served{log: &lines{}}
	log := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w, err := runtime.NewWorker(append([]runtime.Option{runtime.WithLogger(log)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range routes {
		routes[i].Func = routes[i].Method + routes[i].Pattern
	}
	runtime.Register(w, runtime.Class[thing]{
		Name:      "Thing",
		Namespace: "/things",
		Base:      func(r *thing) *pinned.Object { return &r.Object },
		Match: func(method, path string, _ *runtime.Args) int {
			return slices.IndexFunc(routes, func(r thingRoute) bool { return r.Method == method && r.Pattern == path })
		},
		Routes: routes,
		Errors: table,
	})
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.worker = w
	s.Server = httptest.NewUnstartedServer(w)
	s.Server.Config.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelError)
	s.Server.Start()
	t.Cleanup(func() { s.end(t) })
	return s
}

// end shuts everything down, which nothing may hold up.
func (s *served) end(t *testing.T) {
	t.Helper()
	s.Server.CloseClientConnections()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.worker.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	s.Server.Close()
}

// patience is how long a test waits for what should come at once.
const patience = 20 * time.Second

// await waits for an event.
func await[T any](t *testing.T, what string, events <-chan T) T {
	t.Helper()
	select {
	case v := <-events:
		return v
	case <-time.After(patience):
		t.Fatalf("%s didn't come", what)
		panic("unreachable")
	}
}

// logged reports whether the log has a text.
func (s *served) logged(text string) bool {
	return strings.Contains(s.log.String(), text)
}
