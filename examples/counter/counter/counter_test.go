package counter_test

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/pinned-go/pinned/examples/counter/counter"
	"github.com/pinned-go/pinned/runtime"
)

func startWorker(t *testing.T) *runtime.Worker {
	t.Helper()
	worker, err := runtime.NewWorker()
	if err != nil {
		t.Fatal(err)
	}
	counter.Register(worker)
	if err := worker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := worker.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return worker
}

func TestEachIDCountsAlone(t *testing.T) {
	counters := counter.InProcess(startWorker(t))
	for _, add := range []struct {
		id   string
		want int
	}{{"apples", 1}, {"pears", 1}, {"apples", 2}} {
		if n, err := counters.Counter(add.id).Add(t.Context()); err != nil || n != add.want {
			t.Errorf("add to %s: %d, %v; want %d", add.id, n, err, add.want)
		}
	}
}

func TestNoCountIsLost(t *testing.T) {
	const adds = 100
	server := httptest.NewServer(startWorker(t))
	defer server.Close()
	clicks := counter.NewClient(server.URL).Counter("clicks")

	var adding sync.WaitGroup
	for range adds {
		adding.Go(func() {
			if _, err := clicks.Add(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	adding.Wait()
	if n, err := clicks.Count(t.Context()); err != nil || n != adds {
		t.Errorf("%d adds make %d, %v", adds, n, err)
	}
}
