package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The guards of ListenAndServe.
const (
	maxHeaderBytes  = 64 << 10
	idleConnTimeout = 120 * time.Second
)

// ListenAndServe starts the worker and serves it at a TCP address (":8080") until
// SIGTERM, SIGINT or the end of ctx, and then drains: it shuts the worker down
// (see Shutdown) and lets the connections finish, in 25 s at most
// (WithDrainTimeout). It returns nil after a drain that ended all work. A second
// signal ends the process at once.
//
// A request's header has at most 64 KiB and 10 s; a connection without a request
// is closed after 120 s.
func (w *Worker) ListenAndServe(ctx context.Context, addr string) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen and serve: %w", err)
	}
	return w.listen(ctx, ln)
}

// listen is ListenAndServe on a listener, which it closes.
func (w *Worker) listen(ctx context.Context, ln net.Listener) error {
	if err := w.Start(ctx); err != nil {
		return errors.Join(err, ln.Close())
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	server := &http.Server{
		Handler:           w,
		MaxHeaderBytes:    maxHeaderBytes,
		ReadHeaderTimeout: w.readHeaderTimeout,
		IdleTimeout:       idleConnTimeout,
		ErrorLog:          slog.NewLogLogger(w.logger.Handler(), slog.LevelWarn),
	}
	w.logger.Info("serving", "address", ln.Addr().String())
	var fault error // why serving ended, which is for us to end
	served := make(chan struct{})
	go func() {
		defer close(served)
		fault = server.Serve(framedListener{ln, &lulls{clock: w.clock}})
	}()
	select {
	case <-served:
	case <-ctx.Done():
	}
	stop() // the next signal isn't ours

	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.drainTimeout)
	defer cancel()
	closed := make(chan error, 1)
	shut := func() { closed <- server.Shutdown(drain) }
	if w.member == nil {
		go shut()
	}
	err := w.Shutdown(drain)
	if w.member != nil {
		shut() // what is resident was served until here
	}
	if closeErr := <-closed; closeErr != nil {
		err = errors.Join(err, fmt.Errorf("close the connections: %w", closeErr), server.Close())
	}
	<-served
	if !errors.Is(fault, http.ErrServerClosed) {
		err = errors.Join(fmt.Errorf("serve: %w", fault), err)
	}
	return err
}
