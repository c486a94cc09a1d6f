package runtime

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// maxInFlight is what a connection in memory holds in one direction before a
// writer waits, as a socket of the system does.
const maxInFlight = 64 << 10

// memoryConn makes the two ends of a connection. Unlike those of net.Pipe, both
// sides may write before either reads.
func memoryConn() (a, b net.Conn) {
	there, back := newFlow(), newFlow()
	return &memoryEnd{in: back, out: there}, &memoryEnd{in: there, out: back}
}

// memoryEnd is one end.
type memoryEnd struct{ in, out *flow }

func (e *memoryEnd) Read(p []byte) (int, error)  { return e.in.read(p) }
func (e *memoryEnd) Write(p []byte) (int, error) { return e.out.write(p) }

// Close lets the other side read what was written, and then io.EOF.
func (e *memoryEnd) Close() error {
	e.out.close()
	e.in.abandon()
	return nil
}

// CloseWrite lets the other side read io.EOF, and go on sending.
func (e *memoryEnd) CloseWrite() error {
	e.out.close()
	return nil
}

func (e *memoryEnd) LocalAddr() net.Addr  { return memoryAddr{} }
func (e *memoryEnd) RemoteAddr() net.Addr { return memoryAddr{} }

func (e *memoryEnd) SetDeadline(t time.Time) error {
	_ = e.SetReadDeadline(t)
	return e.SetWriteDeadline(t)
}

func (e *memoryEnd) SetReadDeadline(t time.Time) error {
	e.in.reader.set(&e.in.change, t)
	return nil
}

func (e *memoryEnd) SetWriteDeadline(t time.Time) error {
	e.out.writer.set(&e.out.change, t)
	return nil
}

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return localPeer }

// flow is one direction.
type flow struct {
	mu     sync.Mutex
	change sync.Cond
	data   []byte
	ended  bool // the writer's end is closed
	gone   bool // the reader's is
	reader limit
	writer limit
}

// limit is the deadline of who waits on a condition.
type limit struct {
	timer  *time.Timer
	passed bool
}

func newFlow() *flow {
	f := &flow{}
	f.change.L = &f.mu
	return f
}

func (f *flow) read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case f.gone:
			return 0, net.ErrClosed
		case f.reader.passed:
			return 0, os.ErrDeadlineExceeded
		case len(f.data) > 0 || len(p) == 0:
			n := copy(p, f.data)
			f.data = f.data[n:]
			if len(f.data) == 0 {
				f.data = nil
			}
			f.change.Broadcast()
			return n, nil
		case f.ended:
			return 0, io.EOF
		}
		f.change.Wait()
	}
}

func (f *flow) write(p []byte) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case f.ended:
			return n, net.ErrClosed
		case f.gone:
			return n, io.ErrClosedPipe
		case f.writer.passed:
			return n, os.ErrDeadlineExceeded
		case len(p) == 0:
			return n, nil
		}
		if room := maxInFlight - len(f.data); room > 0 {
			some := p[:min(room, len(p))]
			f.data = append(f.data, some...)
			p, n = p[len(some):], n+len(some)
			f.change.Broadcast()
			continue
		}
		f.change.Wait()
	}
}

func (f *flow) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.writer.stop()
	f.change.Broadcast()
}

func (f *flow) abandon() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone, f.data = true, nil
	f.reader.stop()
	f.change.Broadcast()
}

// set moves the deadline. One in the past has passed at once. change tells of
// it; its lock guards the limit.
func (l *limit) set(change *sync.Cond, t time.Time) {
	change.L.Lock()
	defer change.L.Unlock()
	l.stop()
	l.passed = false
	if t.IsZero() {
		return
	}
	left := time.Until(t)
	if left <= 0 {
		l.passed = true
		change.Broadcast()
		return
	}
	// The timer that was set last decides: one that fired while it was being
	// replaced finds another in its place.
	var timer *time.Timer
	timer = time.AfterFunc(left, func() {
		change.L.Lock()
		defer change.L.Unlock()
		if l.timer == timer {
			l.passed = true
			change.Broadcast()
		}
	})
	l.timer = timer
}

func (l *limit) stop() {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}
