package runtime_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

// rig is a worker with rooms and probes, and a client of it.
type rig struct {
	t      *testing.T
	worker *runtime.Worker
	rooms  sample.Client
	probes pinned.Target
	gate   chan struct{} // what Room.Wait waits for
	seen   atomic.Int64  // requests that reached the worker's server; not counted in process
	spy    *spy          // what the probes did
}

// eachTransport runs one behaviour over a real socket and in process.
func eachTransport(t *testing.T, f func(t *testing.T, r *rig)) {
	t.Helper()
	for _, overNetwork := range []bool{true, false} {
		name := "in process"
		if overNetwork {
			name = "over the network"
		}
		t.Run(name, func(t *testing.T) {
			r := newRig(t, overNetwork)
			f(t, r)
		})
	}
}

func newRig(t *testing.T, overNetwork bool, opts ...runtime.Option) *rig {
	t.Helper()
	ignore := goleak.IgnoreCurrent()
	r := &rig{t: t, gate: make(chan struct{}), spy: &spy{}}
	opts = append([]runtime.Option{runtime.WithLogger(slog.New(slog.DiscardHandler))}, opts...)
	w, err := runtime.NewWorker(opts...)
	if err != nil {
		t.Fatal(err)
	}
	r.worker = w
	sample.Register(w, sample.SetupRoom(func(room *sample.Room) { room.Gate = r.gate }))
	registerProbe(w, r.spy)
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}

	r.rooms, r.probes = sample.InProcess(w), runtime.InProcess(w)
	stop := func() {}
	if overNetwork {
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			r.seen.Add(1)
			w.ServeHTTP(rw, req)
		}))
		stop = server.Close
		r.rooms, r.probes = sample.NewClient(server.URL), runtime.Dial(server.URL)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := w.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		stop()
		goleak.VerifyNone(t, ignore)
	})
	return r
}

// wantError checks that a call failed with a *pinned.Error, and returns it.
func wantError(t *testing.T, err error, status int, outcome pinned.Outcome) *pinned.Error {
	t.Helper()
	e, ok := errors.AsType[*pinned.Error](err)
	if !ok {
		t.Fatalf("the error is a %T, not a *pinned.Error: %v", err, err)
	}
	if e.Status != status || e.Outcome() != outcome {
		t.Fatalf("the error has status %d and outcome %v, want %d and %v: %v", e.Status, e.Outcome(), status, outcome, err)
	}
	return e
}

// must is for must(call())(t).
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// lastError is what a stream ended with.
func lastError[T any](seq iter.Seq2[T, error]) (last error) {
	for _, err := range seq {
		last = err
	}
	return last
}

func TestClientsCarryEveryKindOfResult(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		ctx, room := t.Context(), r.rooms.Room("lobby")

		topic, err := room.SetTopic(ctx, sample.SetTopic{Text: "Go & <ä>"})
		if err != nil || topic.Text != "Go & <ä>" {
			t.Fatalf("SetTopic: %+v, %v", topic, err)
		}
		if _, err := room.SetTopic(ctx, sample.SetTopic{Text: "other", DryRun: true}); err != nil {
			t.Fatal(err)
		}
		if plain, err := room.Plain(ctx); err != nil || plain != "Go & <ä>" {
			t.Errorf("Plain: %q, %v", plain, err)
		}
		if blob, err := room.Blob(ctx); err != nil || string(blob) != "Go & <ä>" {
			t.Errorf("Blob: %q, %v", blob, err)
		}
		export := must(room.Export(ctx))(t)
		if all, err := io.ReadAll(export); err != nil || string(all) != "Go & <ä>" {
			t.Errorf("Export: %q, %v", all, err)
		}
		if err := export.Close(); err != nil {
			t.Error(err)
		}
		if n, err := room.Import(ctx, "a b/ü/", strings.NewReader("twelve bytes")); err != nil || n != 12 {
			t.Errorf("Import: %d, %v", n, err)
		}
		if topic, err := room.Topic(ctx); err != nil || topic.Text != "a b/ü/" {
			t.Errorf("the path of Import came as %q, %v", topic.Text, err)
		}
		if n, err := room.Import(ctx, "", io.MultiReader(strings.NewReader("un"), strings.NewReader("known"))); err != nil || n != 7 {
			t.Errorf("Import of unknown length: %d, %v", n, err)
		}
		if n, err := room.Import(ctx, "none", nil); err != nil || n != 0 {
			t.Errorf("Import of nothing: %d, %v", n, err)
		}
		post, err := room.Post(ctx, sample.In{Say: "hi"})
		if err != nil || post.Status != 201 || post.Header.Get("X-Room") != "lobby" || post.Body != (sample.Message{N: 1, Text: "hi"}) {
			t.Errorf("Post: %+v, %v", post, err)
		}
		raw := must(room.Files(ctx, "a/b", nil))(t)
		if body, err := io.ReadAll(raw.Body); err != nil || raw.StatusCode != 200 || string(body) != "raw a/b" {
			t.Errorf("Files: %d %q, %v", raw.StatusCode, body, err)
		}
		if err := raw.Body.Close(); err != nil {
			t.Error(err)
		}
		if who, err := room.WhoAmI(ctx); err != nil || who != "/ pinned-go" {
			t.Errorf("WhoAmI: %q, %v", who, err)
		}
	})
}

func TestClientsBindQueryAndHeader(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		got := must(runtime.Do[probeEcho](t.Context(), func() *runtime.Request {
			q := r.probe("a").Call("GET", "/echo/"+runtime.Escape("ü /%"))
			q.Query("tag", "a&b", "", "ü")
			q.Query("n", "1")
			q.Header("x-token", " spaced ", "two")
			return q
		}()))(t)
		want := probeEcho{
			Path: "/probes/a/echo/%C3%BC%20%2F%25", Query: "tag=a%26b&tag=&tag=%C3%BC&n=1",
			Tokens: []string{"spaced", "two"}, Caller: "/",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAuthorsErrorsAreValuesAtTheClient(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		ctx, room := t.Context(), r.rooms.Room("lobby")
		must(room.SetTopic(ctx, sample.SetTopic{Text: "locked"}))(t)

		_, err := room.SetTopic(ctx, sample.SetTopic{Text: "x"})
		if !errors.Is(err, sample.ErrLocked) {
			t.Errorf("a declared variable: %v", err)
		}
		e := wantError(t, err, 423, pinned.Ran)
		if e.Code != "locked" || e.Detail != "the room is locked" || e.Retryable() || e.Overloaded() {
			t.Errorf("a declared variable: %+v", e)
		}

		_, err = runtime.Do[string](ctx, r.probe("a").Call("GET", "/quota"))
		quota, ok := errors.AsType[*sample.QuotaError](err)
		if !ok || quota.Left != 7 {
			t.Errorf("a declared type: %+v, %v", quota, err)
		}
		if e := wantError(t, err, 429, pinned.Ran); string(e.Data) != `{"left":7}` {
			t.Errorf("a declared type: %+v", e)
		}

		_, err = room.Message(ctx, 99)
		if e := wantError(t, err, 404, pinned.Ran); e.Detail != "no such message" {
			t.Errorf("a *pinned.Error: %+v", e)
		}
		_, err = room.SetTopic(ctx, sample.SetTopic{Text: " "})
		wantError(t, err, 400, pinned.Ran)

		// What came back from another object says nothing about this one.
		_, err = runtime.Do[string](ctx, r.probe("a").Call("GET", "/relayed-error"))
		if e := wantError(t, err, 500, pinned.Ran); strings.Contains(err.Error(), "message") {
			t.Errorf("another object's error: %+v", e)
		}
		if err := room.Clear(ctx); !errors.Is(err, sample.ErrLocked) {
			t.Errorf("a refusal of auth=AdminOnly: %v", err)
		}
	})
}

func TestAnErrorWithoutABodyIsStillTheWorkers(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		wantError(t, runtime.DoNone(t.Context(), r.probe("a").Call("HEAD", "/nowhere")), 404, pinned.Ran)
	})
}

func TestAPanicIsA500AndTheNextCallRuns(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		room := r.rooms.Room("lobby")
		wantError(t, room.Panic(t.Context()), 500, pinned.Ran)
		if _, err := room.Topic(t.Context()); err != nil {
			t.Error(err)
		}
		_, err := r.rooms.Room("unopenable").Topic(t.Context())
		wantError(t, err, 500, pinned.Ran)
	})
}

func TestAnAbortedCallMayHaveRun(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		e := wantError(t, runtime.DoNone(t.Context(), r.probe("a").Call("POST", "/abort")), 503, pinned.Unknown)
		if e.Retryable() {
			t.Error("it says that it may be made again")
		}
	})
}

func TestBadIDsAndSegmentsAreRefusedBeforeSending(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		for _, id := range []string{"", ".", "..", "a b", "a/b", "ä", "a\x00", strings.Repeat("a", 257), "a?b", "%41"} {
			_, err := r.rooms.Room(id).Topic(ctx)
			if e := wantError(t, err, 400, pinned.NotRun); e.Retryable() || !strings.Contains(err.Error(), "an id ") {
				t.Errorf("id %q: %v", id, err)
			}
			for _, err := range r.rooms.Room(id).Upper(ctx) {
				wantError(t, err, 400, pinned.NotRun)
			}
			_, err = r.rooms.Room(id).Live(ctx)
			wantError(t, err, 400, pinned.NotRun)
		}
		for _, segment := range []string{"", ".", "..", "/"} {
			_, err := r.rooms.Room("lobby").Relay(ctx, segment)
			if wantError(t, err, 400, pinned.NotRun); !strings.Contains(err.Error(), "path segment") {
				t.Errorf("segment %q: %v", segment, err)
			}
		}
		for _, rest := range []string{"a/../b", "..", ".", "a//b", "/a", "a/."} {
			_, err := r.rooms.Room("lobby").Import(ctx, rest, nil)
			wantError(t, err, 400, pinned.NotRun)
		}
		for _, value := range []string{"a\nb", "a\x00", "\x7f"} {
			q := r.probe("a").Call("GET", "/echo/x")
			q.Header("X-Token", value)
			_, err := runtime.Do[probeEcho](ctx, q)
			wantError(t, err, 400, pinned.NotRun)
		}
		q := r.probe("a").Call("GET", "/echo/x")
		q.Query("t", runtime.FormatText(time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)))
		_, err := runtime.Do[probeEcho](ctx, q)
		wantError(t, err, 400, pinned.NotRun)
		q = r.probe("a").Call("POST", "/echo/x")
		q.JSON(func() {})
		_, err = runtime.Do[probeEcho](ctx, q)
		wantError(t, err, 400, pinned.NotRun)

		if n := r.seen.Load(); n != 0 {
			t.Errorf("%d requests were sent", n)
		}
	})
}

func TestTheEndOfAContextIsVisible(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		_, err := r.rooms.Room("lobby").Topic(ctx)
		wantError(t, err, 0, pinned.NotRun)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("ended before: %v", err)
		}
		for _, err := range r.rooms.Room("lobby").Upper(ctx) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("ended before a stream: %v", err)
			}
		}
		if _, err := r.rooms.Room("lobby").Live(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("ended before a socket: %v", err)
		}

		ctx, cancel = context.WithCancelCause(t.Context())
		entered, left := r.spy.watch()
		failed := make(chan error, 1)
		go func() { failed <- runtime.DoNone(ctx, r.probe("a").Call("POST", "/block")) }()
		<-entered
		cancel(cause)
		err = <-failed
		wantError(t, err, 0, pinned.Unknown)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("ended during: %v", err)
		}
		<-left // the handler's context has ended too

		short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer stop()
		err = r.rooms.Room("lobby").Wait(short)
		wantError(t, err, 0, pinned.Unknown)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a deadline: %v", err)
		}
	})
}
