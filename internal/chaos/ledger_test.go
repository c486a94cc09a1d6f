package chaos

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/postgres"
	"github.com/pinned-go/pinned/durability/sqlite"
	"github.com/pinned-go/pinned/runtime"
)

// Ledger is the object of the processes: it hands out numbers, and has each carried out
// by a job.
type Ledger struct {
	pinned.Object

	last pinned.Value[int]
	jobs pinned.Jobs[int]
	done pinned.Map[int]
}

// state is what a ledger says of itself.
type state struct {
	Last    int   `json:"last"`
	Pending int   `json:"pending"`
	Done    []int `json:"done"`
}

func (l *Ledger) add(context.Context) (int, error) {
	n := l.last.Get() + 1
	l.last.Set(n)
	l.jobs.Append(n)
	return n, nil
}

func (l *Ledger) handle(ctx context.Context, n int, _ *pinned.Dispatch) error {
	l.done.Put(ctx, fmt.Sprintf("%09d", n), n)
	return nil
}

func (l *Ledger) state(ctx context.Context) (state, error) {
	s := state{Last: l.last.Get(), Pending: l.jobs.Len()}
	for e, err := range l.done.Scan(ctx, pinned.Range{}) {
		if err != nil {
			return s, err
		}
		s.Done = append(s.Done, e.Value)
	}
	return s, nil
}

func register(w *runtime.Worker) {
	runtime.Register(w, runtime.Class[Ledger]{
		Name: "Ledger", Namespace: "/ledgers",
		Base: func(l *Ledger) *pinned.Object { return &l.Object },
		Match: func(method, path string, _ *runtime.Args) int {
			switch method + path {
			case "POST/add":
				return 0
			case "GET/state":
				return 1
			}
			return -1
		},
		Durable: func(l *Ledger, b *runtime.Binder) {
			b.Field("last", &l.last)
			runtime.BindJobs(b, &l.jobs, "jobs", runtime.TrayOptions{}, l.handle)
			b.Field("done", &l.done)
		},
		Routes: []runtime.Route[Ledger]{
			{Method: "POST", Pattern: "/add", Func: "Add", Serve: func(c *runtime.Call) {
				if ctx, l, ok := runtime.Enter[Ledger](c); ok {
					n, err := l.add(ctx)
					runtime.Answer(c, n, err)
				}
			}},
			{Method: "GET", Pattern: "/state", Func: "State", Serve: func(c *runtime.Call) {
				if ctx, l, ok := runtime.Enter[Ledger](c); ok {
					s, err := l.state(ctx)
					runtime.Answer(c, s, err)
				}
			}},
		},
	})
}

// storeDeadline is how long a worker waits for a server that doesn't answer.
const storeDeadline = 3 * time.Second

// storeEnv tells the test's own binary that it is a worker, and with which store.
const storeEnv = "PINNED_TEST_CHAOS_STORE"

func TestMain(m *testing.M) {
	if store := os.Getenv(storeEnv); store != "" {
		if err := work(store); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// work serves ledgers until the process is killed, and tells its address.
func work(at string) error {
	var store durability.StateStore
	var err error
	if filepath.IsAbs(at) {
		store, err = sqlite.Open(at)
	} else {
		store, err = postgres.New(at, postgres.WithTimeouts(storeDeadline*2/3, storeDeadline))
	}
	if err != nil {
		return err
	}
	var w *runtime.Worker
	for {
		if w, err = runtime.NewWorker(runtime.WithStore(store)); err != nil {
			return err
		}
		register(w)
		err = w.Start(context.Background())
		if err == nil {
			break
		}
		// The server takes a while to see that the session of the process before is dead.
		if !strings.Contains(err.Error(), "in use") {
			return err
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, ln.Addr())
	return http.Serve(ln, w)
}
