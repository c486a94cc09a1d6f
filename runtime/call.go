package runtime

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/wire"
)

// Call is one request on its way through a route. Generated code passes it from
// decoding to the answer; it belongs to that request's goroutine.
type Call struct {
	turn   *turn // apart from the call: the handler's context may outlive it
	w      *Worker
	kind   *kind
	route  *route
	in     *instance // once entered
	rw     http.ResponseWriter
	req    *http.Request
	ctx    context.Context
	id     string
	caller pinned.Caller
	epoch  int64 // of the placement that the request was sent by
	args   Args

	input  input
	socket *socket
	raw    *rawWriter
	stream *stream

	detach  func()                  // a socket: lets net/http's goroutine go
	abandon context.CancelCauseFunc // a socket: ends the handler's context

	ends []func() bool // lets go of what waits for the end of the handler's context

	lent  bool // something that outlives the call may know it
	head  bool // the body of the answer is dropped
	read  bool // the request's body was read to its end
	sent  bool // the head of an answer was written, or the connection hijacked
	over  bool // the instance doesn't count the call any more
	broke bool // the answer must not end as if it were complete
}

// Caller is who calls.
func (c *Call) Caller() pinned.Caller { return c.caller }

// Request is the request as the author sees it: with ctx, the path's wildcards
// as PathValue, and without the headers that belong to the runtime. Its body is
// that of Reader.
func (c *Call) Request(ctx context.Context) *http.Request {
	r := c.request(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = c.body()
	}
	return r
}

// request is Request with the body as it came.
func (c *Call) request(ctx context.Context) *http.Request {
	r := c.req.WithContext(ctx)
	if hasReserved(r.Header) {
		r.Header = withoutReserved(r.Header)
	}
	i := 0
	for name := range wildcards(c.route.pattern) {
		r.SetPathValue(name, c.args[i])
		i++
	}
	return r
}

// hasReserved reports whether a client sent a header that means something between
// pinboard and worker. In local mode nobody may be taken in by one.
func hasReserved(h http.Header) bool {
	for name := range h {
		if wire.Reserved(name) || name == wire.HeaderProxySecret {
			return true
		}
	}
	return false
}

func withoutReserved(h http.Header) http.Header {
	kept := make(http.Header, len(h))
	for name, values := range h {
		if !wire.Reserved(name) && name != wire.HeaderProxySecret {
			kept[name] = values
		}
	}
	return kept
}

// wildcards yields the names of a pattern's wildcards in their order, but for
// {$}, which matches nothing.
func wildcards(pattern string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			_, after, ok := strings.Cut(pattern, "{")
			if !ok {
				return
			}
			name, rest, _ := strings.Cut(after, "}")
			pattern = rest
			name = strings.TrimSuffix(name, "...")
			if name != "$" && !yield(name) {
				return
			}
		}
	}
}

// log is the logger for what happens to this call: it carries namespace, id and
// the method's name. What a client chose reaches it only as values, cut short.
func (c *Call) log() *slog.Logger {
	return c.kind.log.With("id", c.id, "route", c.route.fn)
}

// onEnd runs f when the handler's context ends before the handler does: when the
// instance aborts, or a stream's worker drains, or the client leaves. What waits
// for the connection must not wait on.
func (c *Call) onEnd(f func()) {
	c.lent = true
	c.ends = append(c.ends, context.AfterFunc(c.turn, f))
}

// letGo ends what onEnd has begun.
func (c *Call) letGo() {
	for _, stop := range c.ends {
		stop()
	}
	c.ends = nil
}

// endTurn gives the turn up and ends the handler's context. The instance still
// counts the call until its answer is written.
func (c *Call) endTurn() {
	c.letGo()
	if c.in != nil {
		c.turn.end()
	}
}

// maxLogged is how much of a value that somebody else chose is logged.
const maxLogged = 1 << 10

// clip cuts s to maxLogged bytes.
func clip(s string) string {
	if len(s) <= maxLogged {
		return s
	}
	return strings.ToValidUTF8(s[:maxLogged], "") + "…"
}

// leave ends the call at the instance. Idempotent.
func (c *Call) leave() {
	if c.over {
		return
	}
	c.over = true
	c.endTurn()
	if c.in != nil {
		c.in.done()
	}
}
