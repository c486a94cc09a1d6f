package runtime_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/runtime"
)

// Letter is an item of the trays in these tests.
type Letter struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

// Mail is a tray.
type Mail struct {
	pinned.Tray

	queue pinned.Queue[Letter]
	steer pinned.Queue[Letter]
	sent  pinned.Value[[]int]
}

func (m *Mail) Items() iter.Seq[Letter] {
	return func(yield func(Letter) bool) {
		for {
			head, ok := m.queue.Peek()
			if !ok || !yield(head) {
				return
			}
			m.queue.Pop()
		}
	}
}

func (m *Mail) add(l Letter) { m.queue.Append(l) }

func (m *Mail) Add(l Letter) pinned.Receipt {
	return runtime.Admit(&m.Tray, func() { m.add(l) })
}

func (m *Mail) AddAs(key string, l Letter) pinned.Admission {
	return runtime.AdmitAs(&m.Tray, key, func() { m.add(l) })
}

// Post is an object with trays.
type Post struct {
	pinned.Object

	calls map[string]func(ctx context.Context, p *Post) error
	on    func(ctx context.Context, p *Post, field string, l Letter, d *pinned.Dispatch) error

	mail  pinned.TrayOf[Mail]
	boxes pinned.TraysOf[Mail]
	relay pinned.TrayOf[Mail]
	jobs  pinned.Jobs[Letter]
	count pinned.Value[int]
}

// office is a worker with posts, and what their handlers and calls are.
type office struct {
	t       *testing.T
	store   durability.StateStore
	worker  *runtime.Worker
	calls   map[string]func(ctx context.Context, p *Post) error
	on      func(ctx context.Context, p *Post, field string, l Letter, d *pinned.Dispatch) error
	options runtime.TrayOptions
	extra   []runtime.RegisterOption

	mu        sync.Mutex
	delivered []string
}

func newOffice(t *testing.T, store durability.StateStore) *office {
	o := &office{t: t, store: store, calls: map[string]func(context.Context, *Post) error{}}
	o.on = func(context.Context, *Post, string, Letter, *pinned.Dispatch) error { return nil }
	return o
}

func (o *office) start(opts ...runtime.Option) {
	o.t.Helper()
	w, err := runtime.NewWorker(append([]runtime.Option{runtime.WithStore(o.store)}, opts...)...)
	if err != nil {
		o.t.Fatal(err)
	}
	o.worker = w
	class := runtime.TrayClass[Mail, Letter]{
		TrayOptions: o.options, Name: "Mail",
		Base: func(m *Mail) *pinned.Tray { return &m.Tray },
		Durable: func(m *Mail, b *runtime.Binder) {
			b.Field("queue", &m.queue)
			b.Field("steer", &m.steer)
			b.Field("sent", &m.sent)
		},
		Items: (*Mail).Items,
	}
	handle := func(p *Post, field string) func(context.Context, Letter, *pinned.Dispatch) error {
		return func(ctx context.Context, l Letter, d *pinned.Dispatch) error {
			o.mu.Lock()
			mark := ""
			if d.Resumed() {
				mark = "*"
			}
			o.delivered = append(o.delivered, fmt.Sprintf("%s:%d#%d%s", field, l.N, d.Attempt(), mark))
			o.mu.Unlock()
			return p.on(ctx, p, field, l, d)
		}
	}
	runtime.Register(w, runtime.Class[Post]{
		Name: "Post", Namespace: "/posts",
		Base: func(p *Post) *pinned.Object { return &p.Object },
		Match: func(_, path string, args *runtime.Args) int {
			args[0] = strings.TrimPrefix(path, "/")
			return 0
		},
		Routes: []runtime.Route[Post]{{Method: "POST", Pattern: "/{name}", Func: "Call", Serve: func(c *runtime.Call) {
			name := runtime.Path(c, 0, "name", runtime.String[string])
			ctx, p, ok := runtime.Enter[Post](c)
			if !ok {
				return
			}
			c.AnswerNone(p.calls[name](ctx, p))
		}}},
		Durable: func(p *Post, b *runtime.Binder) {
			runtime.BindTray(b, &p.mail, "mail", class, handle(p, "mail"))
			runtime.BindTrays(b, &p.boxes, "boxes", class, handle(p, "boxes"))
			runtime.BindTray(b, &p.relay, "relay", class, handle(p, "relay"))
			runtime.BindJobs(b, &p.jobs, "jobs", o.options, handle(p, "jobs"))
			b.Field("count", &p.count)
		},
	}, append(o.extra, runtime.Setup(func(p *Post) { p.calls, p.on = o.calls, o.on }))...)
	if err := w.Start(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
}

func (o *office) stop() {
	o.t.Helper()
	if err := o.worker.Shutdown(context.Background()); err != nil {
		o.t.Error(err)
	}
}

// call runs a call on the post "a", and gives the status.
func (o *office) call(name string) int {
	o.t.Helper()
	rec := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(o.t.Context(), http.MethodPost, "/posts/a/"+name, nil)
	o.worker.ServeHTTP(rec, req)
	return rec.Code
}

func (o *office) do(f func(ctx context.Context, p *Post) error) {
	o.t.Helper()
	o.calls["f"] = f
	if status := o.call("f"); status != http.StatusNoContent {
		o.t.Fatalf("status %d", status)
	}
}

func (o *office) want(delivered ...string) {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Equal(o.delivered, delivered) {
		o.t.Errorf("delivered %v, want %v", o.delivered, delivered)
	}
	o.delivered = nil
}

// rows are the rows of the post, without a fence.
func (o *office) rows() string {
	o.t.Helper()
	m, _ := o.store.(*durability.Memory)
	entries, err := m.Clone().List(o.t.Context(), durability.Key{Namespace: "/posts", ID: "a"}, 1<<62, durability.Filter{})
	if err != nil {
		o.t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		mark := ""
		if e.Marked {
			mark = "!"
		}
		all = append(all, fmt.Sprintf("%s/%s%s%s", e.Tray.Namespace, e.Tray.ID, mark, e.Doc))
	}
	return strings.Join(all, " ")
}

func (o *office) wantRows(want string) {
	o.t.Helper()
	if got := o.rows(); got != want {
		o.t.Errorf("the rows are\n\t%s\nwant\n\t%s", got, want)
	}
}

// later lets time pass, and then what that has set off.
func later(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// logTo logs errors as JSON.
func logTo(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelError}))
}

// inOffice runs f in virtual time.
func inOffice(t *testing.T, f func(o *office)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, durability.NewMemory())
		f(o)
		if o.worker != nil {
			o.stop()
		}
	})
}
