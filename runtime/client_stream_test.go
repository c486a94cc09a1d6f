package runtime_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

func TestStreamsGiveTheirElements(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		ctx, room := t.Context(), r.rooms.Room("lobby")
		for _, say := range []string{"a", "b", "c", "d"} {
			must(room.Post(ctx, sample.In{Say: say}))(t)
		}
		collect := func(q sample.Page) (said []string, err error) {
			for m, e := range room.Messages(ctx, q) {
				if e != nil {
					return said, e
				}
				said = append(said, m.Text)
			}
			return said, nil
		}
		if said, err := collect(sample.Page{After: 1, Limit: 2, Token: "x"}); err != nil || !slices.Equal(said, []string{"b", "c"}) {
			t.Errorf("a page: %q, %v", said, err)
		}
		if said, err := collect(sample.Page{After: 9, Limit: 2}); err != nil || said != nil {
			t.Errorf("an empty page: %q, %v", said, err)
		}

		must(room.SetTopic(ctx, sample.SetTopic{Text: "so it goes"}))(t)
		words := room.Upper(ctx)
		for range 2 { // the second range is a second call
			var all []string
			for w, err := range words {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, w)
			}
			if !slices.Equal(all, []string{"SO", "IT", "GOES"}) {
				t.Errorf("words: %q", all)
			}
		}

		must(room.Post(ctx, sample.In{Say: "boom"}))(t)
		said, err := collect(sample.Page{After: 2, Limit: 50})
		if !slices.Equal(said, []string{"c", "d"}) || !errors.Is(err, sample.ErrLocked) {
			t.Errorf("an error at its end: %q, %v", said, err)
		}
		wantError(t, err, 423, pinned.Ran)
		said, err = collect(sample.Page{After: 4, Limit: 50})
		if len(said) != 0 || !errors.Is(err, sample.ErrLocked) {
			t.Errorf("an error instead of elements: %q, %v", said, err)
		}
	})
}

func TestLongElementsComeWhole(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		sizes := []int{0, 4094, 4095, 4096, 4097, 1 << 20}
		q := r.probe("a").Call("GET", "/long")
		for _, n := range sizes {
			q.Query("n", runtime.FormatInt(n))
		}
		var got []int
		for s, err := range runtime.Elements[string](t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, len(s))
		}
		if !slices.Equal(got, sizes) {
			t.Errorf("elements of %d characters, want %d", got, sizes)
		}
	})
}

func TestAnAbandonedStreamEndsItsHandler(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		_, left := r.spy.watch()
		for n, err := range runtime.Elements[int](t.Context(), r.probe("a").Call("GET", "/count")) {
			if err != nil {
				t.Fatal(err)
			}
			if n == 3 {
				break
			}
		}
		<-left

		ctx, cancel := context.WithCancel(t.Context())
		_, left = r.spy.watch()
		var last error
		for n, err := range runtime.Elements[int](ctx, r.probe("a").Call("GET", "/count")) {
			last = err
			if n == 3 {
				cancel()
			}
		}
		cancel()
		if !errors.Is(last, context.Canceled) {
			t.Errorf("the last of a stream whose context ended: %v", last)
		}
		wantError(t, last, 0, pinned.Unknown)
		<-left
	})
}

// A stream in process runs exactly as far as its loop; over a socket, as far as
// the system's buffers take it.
func TestStreamsAreNotReadAhead(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		q := r.probe("a").Call("GET", "/count")
		q.Query("pad", "65536")
		_, left := r.spy.watch()
		for e, err := range runtime.Elements[padded](t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			if e.N == 0 {
				r.spy.settle(t)
			}
			made := r.spy.made.Load()
			if r.seen.Load() == 0 && made != int64(e.N)+1 {
				t.Fatalf("at element %d, %d were made", e.N, made)
			}
			if made > 500 {
				t.Fatalf("at element %d, %d were made", e.N, made)
			}
			if e.N == 20 {
				break
			}
		}
		<-left
	})
}

func TestAReaderResultIsPulled(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		_, left := r.spy.watch()
		body := must(runtime.Do[io.ReadCloser](t.Context(), r.probe("a").Call("GET", "/endless")))(t)
		if _, err := io.CopyN(io.Discard, body, 100_000); err != nil {
			t.Fatal(err)
		}
		if err := body.Close(); err != nil {
			t.Fatal(err)
		}
		<-left
		body = must(runtime.Do[io.ReadCloser](t.Context(), r.probe("a").Call("GET", "/breaks")))(t)
		n, err := io.Copy(io.Discard, body)
		if n != 5 || err == nil {
			t.Errorf("a result that broke off was read to its end: %d bytes, %v", n, err)
		}
		_ = body.Close()
	})
}

func TestAHandlerThatEndsItsGoroutineEndsItsStream(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		body, err := runtime.Do[io.ReadCloser](t.Context(), r.probe("a").Call("POST", "/goexit"))
		if err == nil {
			t.Fatalf("it gave %v", body)
		}
		if e, ok := errors.AsType[*pinned.Error](err); !ok || e.Status != 500 && e.Status != 0 {
			t.Errorf("%v", err)
		}
		if _, err := runtime.Do[int](t.Context(), r.probe("a").Call("GET", "/busy")); err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}
