package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count what happens in a worker, under the names that the Python packages of the
// same system have, so that one dashboard serves a mixed fleet. A nil one counts nothing.
type metrics struct {
	activations      prometheus.Counter
	evictions        prometheus.Counter
	aborts           prometheus.Counter
	registerFailures prometheus.Counter
	duplicates       prometheus.Counter
	requestFailures  *prometheus.CounterVec // phase, transport
	callbackFailures *prometheus.CounterVec // hook
	shutdownFailures *prometheus.CounterVec // phase
	controlFailures  *prometheus.CounterVec // operation, reason
	duration         *prometheus.HistogramVec
}

// WithMetrics registers the worker's metrics, named pinned_*, with a registry of
// Prometheus. Labels are namespaces and kinds, never ids or paths. One worker of a process
// can register with a registry. Default: none.
//
//	pinned_instance_activations_total                       instances that became active
//	pinned_instance_evictions_total                         instances that ended, for whatever reason
//	pinned_instance_aborts_total                            those of them that were aborted
//	pinned_active_instances                                 instances that are resident
//	pinned_lease_healthy                                    1 while instances may activate, else 0
//	pinned_registered                                       1 while the worker has a session, else 0
//	pinned_registration_failures_total                      registrations without an ack
//	pinned_duplicate_quits_total                            instances that another worker had
//	pinned_request_failures_total{phase,transport}          phase: auth, activation; transport: http, websocket
//	pinned_callback_failures_total{hook}                    hook: close
//	pinned_shutdown_failures_total{phase}                   phase: drain, store
//	pinned_control_plane_failures_total{operation,reason}   calls of the registry that failed
//	pinned_request_duration_seconds{namespace}              from a request's arrival to its answer's end
//
// In local mode the lease is healthy and the worker isn't registered.
func WithMetrics(registry prometheus.Registerer) Option {
	return func(o *options) error {
		if registry == nil {
			return errors.New("the registry of the metrics is nil")
		}
		o.registry = registry
		return nil
	}
}

// newMetrics registers the metrics of a worker.
func newMetrics(w *Worker, registry prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "pinned_" + name, Help: help})
	}
	vector := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pinned_" + name, Help: help}, labels)
	}
	gauge := func(name, help string, is func() float64) prometheus.GaugeFunc {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pinned_" + name, Help: help}, is)
	}
	m := &metrics{
		activations:      counter("instance_activations_total", "Instances that became active."),
		evictions:        counter("instance_evictions_total", "Instances that ended: idle, by a shutdown, or aborted."),
		aborts:           counter("instance_aborts_total", "Instances that were aborted."),
		registerFailures: counter("registration_failures_total", "Registrations with the pinboard that failed."),
		duplicates:       counter("duplicate_quits_total", "Instances that ended because another worker had them."),
		requestFailures:  vector("request_failures_total", "Requests that failed before their handler.", "phase", "transport"),
		callbackFailures: vector("callback_failures_total", "Hooks that failed.", "hook"),
		shutdownFailures: vector("shutdown_failures_total", "Shutdowns that didn't end all work.", "phase"),
		controlFailures:  vector("control_plane_failures_total", "Calls of the pinboard's registry that failed.", "operation", "reason"),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "pinned_request_duration_seconds", Help: "How long requests took.", Buckets: prometheus.DefBuckets,
		}, []string{"namespace"}),
	}
	for _, c := range []prometheus.Collector{
		m.activations, m.evictions, m.aborts, m.registerFailures, m.duplicates, m.requestFailures, m.callbackFailures,
		m.shutdownFailures, m.controlFailures, m.duration,
		gauge("active_instances", "Instances that are resident.", func() float64 {
			w.mu.Lock()
			defer w.mu.Unlock()
			return float64(w.residence.Resident())
		}),
		gauge("lease_healthy", "1 while instances may activate, else 0.", func() float64 {
			return truth(w.member == nil || w.now() < w.member.view.Load().healthy)
		}),
		gauge("registered", "1 while the worker has a session with its pinboard, else 0.", func() float64 {
			return truth(w.member != nil && w.member.view.Load().session != "")
		}),
	} {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
	}
	return m, nil
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (m *metrics) activated() {
	if m != nil {
		m.activations.Inc()
	}
}

// ended counts an instance that isn't resident any more.
func (m *metrics) ended(e *ending) {
	if m == nil {
		return
	}
	m.evictions.Inc()
	if e != nil && !e.normal {
		m.aborts.Inc()
	}
}

func (m *metrics) requestFailed(phase string, socket bool) {
	if m == nil {
		return
	}
	transport := "http"
	if socket {
		transport = "websocket"
	}
	m.requestFailures.WithLabelValues(phase, transport).Inc()
}

func (m *metrics) callbackFailed(hook string) {
	if m != nil {
		m.callbackFailures.WithLabelValues(hook).Inc()
	}
}

func (m *metrics) shutdownFailed(phase string) {
	if m != nil {
		m.shutdownFailures.WithLabelValues(phase).Inc()
	}
}

func (m *metrics) duplicate() {
	if m != nil {
		m.duplicates.Inc()
	}
}

// controlFailed counts a call of the registry that failed.
func (m *metrics) controlFailed(operation string, err error) {
	if m == nil {
		return
	}
	if operation == "register" {
		m.registerFailures.Inc()
	}
	reason := "malformed"
	var nack *nackError
	var answered *answerError
	switch {
	case errors.As(err, &nack) && nack.status == http.StatusUnauthorized:
		reason = "unauthorized"
	case nack != nil && nack.status == http.StatusServiceUnavailable:
		reason = "deferred"
	case nack != nil:
		reason = "rejected"
	case !errors.As(err, &answered):
		reason = "transport"
	}
	m.controlFailures.WithLabelValues(operation, reason).Inc()
}

// took observes a request that has ended.
func (m *metrics) took(namespace string, began time.Time) {
	if m != nil {
		m.duration.WithLabelValues(namespace).Observe(time.Since(began).Seconds())
	}
}
