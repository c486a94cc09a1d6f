package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinned-go/pinned/internal/testdb"
)

const (
	kills   = 100
	ledgers = 4
	clients = 8
)

// worker is a process of ours.
type worker struct {
	cmd  *exec.Cmd
	base string
}

func startWorker(t *testing.T, store string) *worker {
	t.Helper()
	w := &worker{cmd: exec.CommandContext(t.Context(), os.Args[0])}
	w.cmd.Env = append(os.Environ(), storeEnv+"="+store)
	w.cmd.Stderr = io.Discard
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	w.base = "http://" + strings.TrimSpace(line)
	return w
}

// kill ends the process as kill -9 does.
func (w *worker) kill() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// load adds to the ledgers until the worker is gone, and notes what was acknowledged.
func load(ctx context.Context, base string, acknowledged *[ledgers][]int, mu *sync.Mutex) {
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := c % ledgers; ; i = (i + 1) % ledgers {
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("%s/ledgers/%d/add", base, i), nil)
				if err != nil {
					return
				}
				resp, err := client.Do(req)
				if err != nil {
					return
				}
				var n int
				err = json.NewDecoder(resp.Body).Decode(&n)
				_ = resp.Body.Close()
				if err != nil || resp.StatusCode != http.StatusOK {
					continue
				}
				mu.Lock()
				acknowledged[i] = append(acknowledged[i], n)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// check waits until all jobs are done, and holds the ledgers against what was
// acknowledged.
func check(t *testing.T, base string, acknowledged *[ledgers][]int) {
	t.Helper()
	total := 0
	for i, numbers := range acknowledged {
		total += len(numbers)
		var s state
		for begin := time.Now(); ; {
			resp, err := http.Get(fmt.Sprintf("%s/ledgers/%d/state", base, i))
			if err != nil {
				t.Fatal(err)
			}
			err = json.NewDecoder(resp.Body).Decode(&s)
			_ = resp.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if s.Pending == 0 {
				break
			}
			if time.Since(begin) > time.Minute {
				t.Fatalf("ledger %d still has %d jobs", i, s.Pending)
			}
			<-time.After(10 * time.Millisecond)
		}
		slices.Sort(numbers)
		for k, n := range numbers {
			if k > 0 && numbers[k-1] == n {
				t.Errorf("ledger %d has handed %d out twice", i, n)
			}
			if n > s.Last {
				t.Errorf("ledger %d has lost %d, which was acknowledged: its last is %d", i, n, s.Last)
			}
			if _, ok := slices.BinarySearch(s.Done, n); !ok {
				t.Errorf("ledger %d has never carried out %d, which was acknowledged", i, n)
			}
		}
		if len(s.Done) != s.Last {
			t.Errorf("ledger %d has handed out %d numbers and carried out %d", i, s.Last, len(s.Done))
		}
	}
	t.Logf("%d were acknowledged", total)
}

func count(acknowledged *[ledgers][]int) (n int) {
	for _, numbers := range acknowledged {
		n += len(numbers)
	}
	return n
}

func killUnderLoad(t *testing.T, store string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it kills processes")
	}
	var mu sync.Mutex
	var acknowledged [ledgers][]int
	for range kills {
		w := startWorker(t, store)
		mu.Lock()
		before := count(&acknowledged)
		mu.Unlock()
		loaded := make(chan struct{})
		go func() {
			defer close(loaded)
			load(t.Context(), w.base, &acknowledged, &mu)
		}()
		for begin := time.Now(); ; {
			mu.Lock()
			begun := count(&acknowledged) > before
			mu.Unlock()
			if begun {
				break
			}
			if time.Since(begin) > time.Minute {
				t.Fatal("the worker acknowledges nothing")
			}
			<-time.After(time.Millisecond)
		}
		<-time.After(time.Duration(rand.IntN(60)) * time.Millisecond)
		w.kill()
		<-loaded
	}
	w := startWorker(t, store)
	defer w.kill()
	check(t, w.base, &acknowledged)
	if n := count(&acknowledged); n < kills {
		t.Errorf("only %d were acknowledged", n)
	}
}

func TestNothingAcknowledgedIsLostByKillWithSQLite(t *testing.T) {
	killUnderLoad(t, filepath.Join(t.TempDir(), "ledgers.db"))
}

func TestNothingAcknowledgedIsLostByKillWithPostgres(t *testing.T) {
	killUnderLoad(t, testdb.Postgres(t))
}
