package runtime

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// Stream sends the elements of seq as the client reads them: Server-Sent Events
// where it accepts them, else NDJSON (authoring contract, section 3). The turn
// is held while seq makes an element and given up while it is written, so a slow
// reader holds up its own stream only.
func Stream[T any](c *Call, seq iter.Seq2[T, error]) {
	s := c.openStream()
	if s == nil {
		return
	}
	for v, err := range seq {
		if err != nil {
			s.err = err
			break
		}
		if !s.element(&v) {
			break
		}
	}
	s.close()
}

// StreamSeq is Stream of elements without errors.
func StreamSeq[T any](c *Call, seq iter.Seq[T]) {
	s := c.openStream()
	if s == nil {
		return
	}
	for v := range seq {
		if !s.element(&v) {
			break
		}
	}
	s.close()
}

// How long a stream without an element waits until it sends its head: a proxy in
// between waits 60 s for one.
const headAfter = time.Second

// lastWords is how long a client that doesn't read may hold up the end of an
// instance.
const lastWords = time.Second

// stream is a stream under way.
type stream struct {
	c   *Call
	rc  *http.ResponseController
	sse bool
	err error // of the author's code, or of an element that has no JSON

	mu    sync.Mutex // between the handler and the timer of the head
	begin bool       // the head was sent
	gone  bool       // a write failed: nobody reads
	ended bool       // the timer comes too late

	stopHead func() bool
}

// openStream begins a stream. It returns nil if there is nothing to iterate:
// HEAD doesn't start one.
func (c *Call) openStream() *stream {
	if c.fails(nil) {
		c.fail(c.abortCause())
		return nil
	}
	s := &stream{c: c, sse: acceptsSSE(c.req.Header), rc: http.NewResponseController(c.rw)}
	if c.head {
		if !c.gated() {
			return nil
		}
		s.setHeader()
		c.sent = true
		c.rw.WriteHeader(http.StatusOK)
		return nil
	}
	c.stream = s
	c.turn.stream()
	c.onEnd(func() { _ = s.rc.SetWriteDeadline(time.Now().Add(lastWords)) })
	s.mu.Lock()
	s.stopHead = c.w.clock.AfterFunc(headAfter, s.late)
	s.mu.Unlock()
	return s
}

// acceptsSSE reports whether Accept names text/event-stream.
func acceptsSSE(h http.Header) bool {
	for _, accept := range h["Accept"] {
		for accept != "" {
			var media string
			media, accept, _ = strings.Cut(accept, ",")
			media, parameters, _ := strings.Cut(media, ";")
			if !strings.EqualFold(strings.TrimSpace(media), wire.TypeSSE) {
				continue
			}
			q := strings.ToLower(strings.ReplaceAll(parameters, " ", ""))
			if q != "q=0" && q != "q=0.0" && q != "q=0.00" && q != "q=0.000" {
				return true
			}
		}
	}
	return false
}

func (s *stream) setHeader() {
	h := s.c.rw.Header()
	if s.sse {
		h["Content-Type"] = headerSSE
		h["Cache-Control"] = headerNoCache
	} else {
		h["Content-Type"] = headerNDJSON
	}
}

var headerNoCache = []string{"no-cache"}

// late sends the head of a stream that has no element yet.
func (s *stream) late() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.begin {
		return
	}
	if !s.c.turn.clear() {
		// A head says that all is well, which isn't known yet.
		s.stopHead = s.c.w.clock.AfterFunc(headAfter, s.late)
		return
	}
	s.head()
	s.gone = flush(s.rc) != nil
}

// head sends the head. The stream must be locked.
func (s *stream) head() {
	s.begin = true
	s.setHeader()
	s.c.rw.WriteHeader(http.StatusOK)
}

// element sends what v points to. It is false when the iteration must stop.
func (s *stream) element(v any) bool {
	b := buffers.get()
	defer buffers.put(b)
	if s.sse {
		b.bytes = append(b.bytes, "data: "...)
	}
	if s.err = b.encode(v); s.err != nil {
		return false
	}
	if s.sse {
		b.bytes = append(b.bytes, '\n')
	}
	out := bind.Turn(s.c.turn)
	if given := s.c.turn.GiveUp(); given != nil {
		defer given.Retake()
		out = given
	}
	return out.Gate(s.c.turn) == nil && s.c.w.serving(s.c.turn) == nil && s.write(b.bytes)
}

// write sends p at once, and the head before it.
func (s *stream) write(p []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begin {
		s.stopHead()
		s.head()
	}
	if s.gone {
		return false
	}
	if _, err := s.c.rw.Write(p); err != nil || flush(s.rc) != nil {
		s.gone = true
	}
	return !s.gone
}

// stop ends the stream's timer and says whether the head was sent.
func (s *stream) stop() (begun bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopHead()
	s.ended = true
	return s.begin
}

// close ends the stream, after the author's code has: completely, or with a
// record of what went wrong and a body that breaks off.
func (s *stream) close() {
	c := s.c
	begun := s.stop()
	f, failed := s.failure()
	c.endTurn()
	c.logFault(f.fault)
	if err := c.clearance(); err != nil {
		f, failed = aborted(err), true
	}
	switch {
	case failed && !begun:
		c.writeFailure(f)
		return
	case failed:
		s.write(s.record(f))
		c.broke = true
		return
	case s.sse:
		s.write([]byte("event: end\ndata: {}\n\n"))
	default:
		s.write(nil)
	}
	c.broke = s.gone
}

// crashed ends the stream of a handler that panicked. It reports whether the
// head was sent.
func (s *stream) crashed() (begun bool) {
	if begun = s.stop(); begun {
		s.write(s.record(internal(nil)))
	}
	return begun
}

// failure is why the stream isn't complete.
func (s *stream) failure() (failure, bool) {
	if cause := s.c.abortCause(); cause != nil {
		return aborted(cause), true
	}
	if s.c.turn.Err() != nil {
		// Author's code whose context has ended may have stopped without an error.
		return aborted(context.Cause(s.c.turn)), true
	}
	if s.err != nil || s.c.faulty() {
		return s.c.verdictOf(s.err), true
	}
	return failure{}, false
}

// record is what a reader tells from an element.
func (s *stream) record(f failure) []byte {
	body := f.problem.Encode()
	if s.sse {
		return append(append([]byte("event: problem\ndata: "), body...), "\n\n"...)
	}
	return append(append([]byte{wire.RecordSeparator}, body...), '\n')
}
