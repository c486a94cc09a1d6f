package runtime_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/pinned-go/pinned/internal/wire"
	"github.com/pinned-go/pinned/runtime"
)

func TestMetricsCountUnderTheNamesOfThePeers(t *testing.T) {
	counted := prometheus.NewRegistry()
	inFleet(t, nil, func(f *fleet) {
		f.want("a request", "a", 5, 200, "")
		f.want("another", "b", 5, 200, "")
		f.deny = true
		f.want("denied", "c", 5, 401, "")
		f.deny = false
		f.call = func(_ context.Context, b *Berth) error { b.Abort(errors.New("enough")); return nil }
		f.ask("a", 5, nil)
		f.call = nil
		synctest.Wait()
		f.reg.set(func(g *registry) {
			g.beat = func(wire.Heartbeat) (int, any) { return http.StatusInternalServerError, nil }
		})
		want := `
# HELP pinned_active_instances Instances that are resident.
# TYPE pinned_active_instances gauge
pinned_active_instances 1
# HELP pinned_instance_aborts_total Instances that were aborted.
# TYPE pinned_instance_aborts_total counter
pinned_instance_aborts_total 1
# HELP pinned_instance_activations_total Instances that became active.
# TYPE pinned_instance_activations_total counter
pinned_instance_activations_total 2
# HELP pinned_instance_evictions_total Instances that ended: idle, by a shutdown, or aborted.
# TYPE pinned_instance_evictions_total counter
pinned_instance_evictions_total 1
# HELP pinned_lease_healthy 1 while instances may activate, else 0.
# TYPE pinned_lease_healthy gauge
pinned_lease_healthy 1
# HELP pinned_registered 1 while the worker has a session with its pinboard, else 0.
# TYPE pinned_registered gauge
pinned_registered 1
# HELP pinned_request_failures_total Requests that failed before their handler.
# TYPE pinned_request_failures_total counter
pinned_request_failures_total{phase="auth",transport="http"} 1
`
		names := []string{"pinned_active_instances", "pinned_instance_aborts_total", "pinned_instance_activations_total", "pinned_instance_evictions_total",
			"pinned_lease_healthy", "pinned_registered", "pinned_request_failures_total"}
		if err := testutil.GatherAndCompare(counted, strings.NewReader(want), names...); err != nil {
			t.Error(err)
		}
	}, runtime.WithMetrics(counted))
	// All families are there from the start but those with labels, which come with them.
	families, err := counted.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "pinned_") {
			t.Error(f.GetName())
		}
	}
	if _, err := runtime.NewWorker(runtime.WithMetrics(counted)); err == nil {
		t.Error("two workers registered with one registry")
	}
	if _, err := runtime.NewWorker(runtime.WithMetrics(nil)); err == nil {
		t.Error("a registry that is nil was taken")
	}
}
