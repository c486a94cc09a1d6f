package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/pinned-go/pinned/internal/testdb"
)

// TestNothingAcknowledgedIsLostWithThePostgresServer has a worker live through what
// happens to its server: it is killed, its sessions are ended, the way to it is cut, and
// the way is frozen for longer than the worker waits. Requests fail meanwhile, with a
// status that tells so.
func TestNothingAcknowledgedIsLostWithThePostgresServer(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills a server")
	}
	server := testdb.PostgresServer(t)
	link := testdb.Through(t, server.URL)
	w := startWorker(t, link.URL)
	defer w.kill()
	var mu sync.Mutex
	var acknowledged [ledgers][]int
	ctx, stop := context.WithCancel(t.Context())
	statuses := map[int]int{}
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		insist(ctx, w.base, &acknowledged, statuses, &mu)
	}()
	const rounds = 16
	for round := range rounds {
		mu.Lock()
		before := count(&acknowledged)
		mu.Unlock()
		for begin := time.Now(); ; {
			mu.Lock()
			some := count(&acknowledged) > before+10
			mu.Unlock()
			if some {
				break
			}
			if time.Since(begin) > time.Minute {
				stop()
				<-loaded
				t.Fatalf("round %d: the worker acknowledges nothing, after %v", round, statuses)
			}
			<-time.After(5 * time.Millisecond)
		}
		<-time.After(time.Duration(rand.IntN(50)) * time.Millisecond)
		switch round % 4 {
		case 0:
			server.Kill()
			<-time.After(time.Duration(rand.IntN(500)) * time.Millisecond)
			server.Start()
		case 1:
			server.Cut()
		case 2:
			link.Cut()
		case 3:
			link.Freeze()
			<-time.After(storeDeadline + time.Second)
			link.Thaw()
		}
	}
	stop()
	<-loaded
	t.Logf("statuses: %v", statuses)
	for status := range statuses {
		if status != http.StatusOK && status != http.StatusServiceUnavailable {
			t.Errorf("%d answers had the status %d, want 503 of those that aren't 200", statuses[status], status)
		}
	}
	check(t, w.base, &acknowledged)
}

// insist adds to the ledgers until ctx ends, whatever is answered.
func insist(ctx context.Context, base string, acknowledged *[ledgers][]int, statuses map[int]int, mu *sync.Mutex) {
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := c % ledgers; ctx.Err() == nil; i = (i + 1) % ledgers {
				req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, fmt.Sprintf("%s/ledgers/%d/add", base, i), nil)
				if err != nil {
					return
				}
				resp, err := client.Do(req)
				if err != nil {
					return
				}
				var n int
				body, err := io.ReadAll(resp.Body)
				if err == nil && resp.StatusCode == http.StatusOK {
					err = json.Unmarshal(body, &n)
				}
				_ = resp.Body.Close()
				mu.Lock()
				statuses[resp.StatusCode]++
				if err == nil && resp.StatusCode == http.StatusOK {
					acknowledged[i] = append(acknowledged[i], n)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
