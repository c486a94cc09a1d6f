package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pinned-go/pinned/bench/bells"
	"github.com/pinned-go/pinned/bench/pages"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/postgres"
	"github.com/pinned-go/pinned/durability/sqlite"
	"github.com/pinned-go/pinned/runtime"
)

// waitContests measure who waits for what is being made durable, how long a flush takes,
// and how late alarms run.
func waitContests() []contest {
	all := []contest{{
		name: "gate/reader-beside-writer/p50", against: "idle instance", unit: "ns", scale: lessIsBetter, target: 0.90,
		open: func(ctx context.Context, s *stage) (measure, measure, error) { return s.readers(ctx) },
	}, {
		name: "alarms/10000-of-1000-ids/p99", against: againstLimit, unit: "ms", scale: lessIsBetter, target: 1, pace: fewer,
		open: func(ctx context.Context, s *stage) (measure, measure, error) {
			mine, err := s.alarms(ctx)
			return mine, limit(20), err
		},
	}}
	for _, size := range []int{1, 64, 1024} {
		all = append(all, contest{
			name: fmt.Sprintf("flush/%d-KiB/sqlite", size), against: "postgres", unit: "ms", scale: lessIsBetter, pace: fewer,
			open: func(ctx context.Context, s *stage) (measure, measure, error) { return s.flushes(ctx, size<<10) },
		})
	}
	return all
}

// slow is a store whose flushes take 20 ms.
type slow struct{ *durability.Memory }

const slowness = 20 * time.Millisecond

func (s slow) Apply(ctx context.Context, key durability.Key, epoch int64, ops []durability.Op) error {
	<-time.After(slowness)
	return s.Memory.Apply(ctx, key, epoch, ops)
}

func (s slow) ApplyAll(ctx context.Context, batches []durability.Batch) []error {
	<-time.After(slowness)
	return s.Memory.ApplyAll(ctx, batches)
}

// readers measures requests that touch nothing durable: on an instance that others write to
// all the time, and on one that is idle.
func (s *stage) readers(ctx context.Context) (mine, theirs measure, err error) {
	worker, err := s.worker(ctx, slow{durability.NewMemory()})
	if err != nil {
		return nil, nil, err
	}
	client := pages.InProcess(worker)
	busy, idle := client.Page("busy"), client.Page("idle")
	for _, page := range []pages.PageCalls{busy, idle} {
		if _, err := page.Replace(ctx, pages.Text{Text: "first"}); err != nil {
			return nil, nil, err
		}
	}
	ask := func(ctx context.Context, page pages.PageCalls) (float64, error) {
		var took []time.Duration
		for began := time.Now(); time.Since(began) < s.pace.window; {
			at := time.Now()
			if _, err := page.Ask(ctx); err != nil {
				return 0, err
			}
			took = append(took, time.Since(at))
		}
		return float64(percentile(took, 0.5).Nanoseconds()), nil
	}
	mine = func(ctx context.Context) (float64, error) {
		writing, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		for c := range 8 {
			wg.Go(func() {
				for n := 0; writing.Err() == nil; n++ {
					_, _ = busy.Replace(writing, pages.Text{Text: fmt.Sprint(c, n)}) // the last one is cut off
				}
			})
		}
		p50, err := ask(ctx, busy)
		stop()
		wg.Wait()
		return p50, err
	}
	return mine, func(ctx context.Context) (float64, error) { return ask(ctx, idle) }, nil
}

// worker is one of this process with notes in a store.
func (s *stage) worker(ctx context.Context, store durability.StateStore) (*runtime.Worker, error) {
	w, err := runtime.NewWorker(runtime.WithStore(store), runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	pages.Register(w)
	if err := w.Start(ctx); err != nil {
		return nil, err
	}
	s.atEnd(func() { _ = w.Shutdown(context.Background()) })
	return w, nil
}

// percentile sorts.
func percentile(of []time.Duration, p float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[min(len(of)-1, int(p*float64(len(of))))]
}

// alarms measures how late alarms of resident instances run, in a round of 10,000.
func (s *stage) alarms(ctx context.Context) (measure, error) {
	const ids, each = 1_000, 10
	tower := &bells.Tower{}
	w, err := runtime.NewWorker(runtime.WithStore(durability.NewMemory()), runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	bells.Register(w, bells.SetupBell(func(b *bells.Bell) { b.Tower = tower }))
	if err := w.Start(ctx); err != nil {
		return nil, err
	}
	s.atEnd(func() { _ = w.Shutdown(context.Background()) })
	client := bells.InProcess(w)
	return func(ctx context.Context) (float64, error) {
		tower.Late()
		// Spread over five seconds, once all are set.
		begin := time.Now().Add(3 * time.Second)
		for i := range ids {
			times := bells.Times{}
			for k := range each {
				times.At = append(times.At, begin.Add(time.Duration((i*each+k)*7919%(ids*each))*500*time.Microsecond).Truncate(time.Millisecond))
			}
			if err := client.Bell(strconv.Itoa(i)).Arm(ctx, times); err != nil {
				return 0, err
			}
		}
		if time.Now().After(begin) {
			return 0, errors.New("the alarms weren't set in time")
		}
		var late []time.Duration
		for len(late) < ids*each {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return 0, ctx.Err()
			}
			late = append(late, tower.Late()...)
			if time.Since(begin) > time.Minute {
				return 0, fmt.Errorf("%d of %d alarms have run", len(late), ids*each)
			}
		}
		return float64(percentile(late, 0.99).Microseconds()) / 1000, nil
	}, nil
}

// flushes measures how long the flush of one document takes, SQLite's beside PostgreSQL's.
func (s *stage) flushes(ctx context.Context, size int) (mine, theirs measure, err error) {
	dir, err := s.tempDir()
	if err != nil {
		return nil, nil, err
	}
	file, err := sqlite.Open(filepath.Join(dir, "flush.db"))
	if err != nil {
		return nil, nil, err
	}
	s.atEnd(func() { _ = file.Close() })
	url, err := s.database(ctx, 1)
	if err != nil {
		return nil, nil, err
	}
	db, err := postgres.New(url, postgres.WithPreparedStatements())
	if err != nil {
		return nil, nil, err
	}
	s.atEnd(func() { _ = db.Close() })
	documents := newDocuments(size)
	flush := func(store durability.StateStore) measure {
		key, tray := durability.Key{Namespace: "/pages", ID: "1"}, durability.Tray{Namespace: "pinned", ID: "object"}
		return func(ctx context.Context) (float64, error) {
			var took []time.Duration
			for began := time.Now(); time.Since(began) < s.pace.window; {
				doc := documents.next()
				at := time.Now()
				if err := store.Put(ctx, key, 0, tray, durability.Row{Doc: doc}); err != nil {
					return 0, err
				}
				took = append(took, time.Since(at))
			}
			return float64(percentile(took, 0.5).Microseconds()) / 1000, nil
		}
	}
	return flush(file), flush(db), nil
}

// documents are of one size, each another one, and of text that doesn't compress:
// PostgreSQL compresses what it can, and would write hardly anything.
type documents struct {
	text    string
	size, n int
}

func newDocuments(size int) *documents {
	var b strings.Builder
	for b.Len() < 2*size {
		b.WriteString(rand.Text())
	}
	return &documents{text: b.String(), size: size}
}

func (d *documents) next() []byte {
	d.n++
	from := d.n % d.size
	return fmt.Appendf(nil, `{"text":"%s"}`, d.text[from:from+d.size])
}
