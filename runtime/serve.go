package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/core/fence"
	"github.com/pinned-go/pinned/internal/wire"
)

// ServeHTTP answers a request for an object: /<namespace>/<id>[/path]. A worker
// can be mounted in any server; nothing of it needs ListenAndServe.
func (w *Worker) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.serve(rw, r, nil)
}

// serve decides in the order of the wire contract, section 4: namespace, id,
// attestation, epoch, lease, route and method, Authorize, residence, parameters and
// body, activation, turn. What fails earlier activates nothing. inner is who calls in
// process; nil: the request came from outside.
func (w *Worker) serve(rw http.ResponseWriter, r *http.Request, inner *pinned.Caller) {
	if !w.decide(rw, r, inner) && r.ContentLength != 0 {
		limitRest(rw)
	}
}

// decide is serve. It reports whether the body was read to its end, or the
// connection taken over.
func (w *Worker) decide(rw http.ResponseWriter, r *http.Request, inner *pinned.Caller) (settled bool) {
	upgrade := r.Header["Upgrade"] != nil
	if upgrade {
		// What follows on this connection may not be HTTP, unless a socket takes
		// it over.
		rw.Header()["Connection"] = headerClose
	}
	namespace, id, path := address(r.URL.EscapedPath())
	k := w.kind(namespace)
	if k == nil {
		if w.member != nil && inner == nil && w.member.fixedPath(rw, r) {
			return false
		}
		if r.Method == "PRI" { // net/http leaves HTTP/2 by prior knowledge to handlers
			problem(rw, r, http.StatusHTTPVersionNotSupported, "the worker speaks HTTP/1.1")
			return false
		}
		problem(rw, r, http.StatusNotFound, "no object has this namespace")
		return false
	}
	if err := wire.ValidID(id); err != nil {
		problem(rw, r, http.StatusBadRequest, err.Error())
		return false
	}
	var from admission
	switch {
	case inner != nil:
		from = admission{*inner, anyEpoch}
	case w.member != nil:
		var ok bool
		if from, ok = w.member.admit(rw, r, namespace, id); !ok {
			return false
		}
	}
	if fixed(path) {
		problem(rw, r, http.StatusNotFound, "no route has this path")
		return false
	}
	c, _ := calls.Get().(*Call)
	c.w, c.kind, c.rw, c.req, c.ctx, c.id, c.caller, c.epoch = w, k, rw, r, r.Context(), id, from.caller, from.epoch
	index, status := k.route(r.Method, path, upgrade && isUpgrade(r), &c.args)
	if index < 0 {
		k.unrouted(rw, r, path, status)
		return false
	}
	c.turn = &turn{}
	c.route = &k.routes[index]
	c.head = r.Method == http.MethodHead

	if w.metrics != nil {
		defer w.metrics.took(k.namespace, time.Now())
	}
	socket := c.route.method == websocketMethod // its goroutine may have the call when this one has left
	if socket {
		c.runSocket()
	} else {
		c.run()
	}
	if c.broke {
		// The connection breaks off, so that nobody takes for complete what isn't.
		panic(http.ErrAbortHandler)
	}
	settled = c.read || c.socket != nil || c.raw != nil && c.raw.hijacked
	if !socket && !c.lent {
		*c = Call{}
		calls.Put(c)
	}
	return settled
}

// calls are those that a plain request uses again: nothing that outlives it knows
// them. What they point to is never used again.
var calls = sync.Pool{New: func() any { return new(Call) }}

// unrouted answers a request that has an object but no route.
func (k *kind) unrouted(rw http.ResponseWriter, r *http.Request, path string, status int) {
	h := rw.Header()
	switch status {
	case http.StatusNoContent:
		h.Set("Allow", allow(k.match, path))
		rw.WriteHeader(http.StatusNoContent)
	case http.StatusMethodNotAllowed:
		h.Set("Allow", allow(k.match, path))
		problem(rw, r, status, "the path has no route for this method")
	case http.StatusUpgradeRequired:
		h.Set("Upgrade", "websocket")
		h.Add("Connection", "Upgrade")
		problem(rw, r, status, "the path is a WebSocket")
	default:
		problem(rw, r, http.StatusNotFound, "no route has this path")
	}
}

// run authorizes the request and runs its route, whose panics end here.
func (c *Call) run() {
	finished := false
	defer func() {
		if !finished {
			c.crashed(recover())
		}
		c.leave()
	}()
	if c.authorized() {
		seated(c.turn, c.route.serve, c)
	}
	finished = true
}

// errGoexit stands for code that ended its goroutine.
var errGoexit = errors.New("runtime.Goexit was called")

// crashed answers for code that panicked with v, or called runtime.Goexit if v
// is nil, and aborts the instance.
func (c *Call) crashed(v any) {
	stack := debug.Stack()
	c.letGo() // the abort that follows is not what the other side is told
	if c.in != nil {
		c.turn.spoil()
		c.in.panicked(v, stack)
	} else {
		c.log().Error("panic before the handler", "panic", clip(fmt.Sprint(v)), "stack", stackText(stack))
	}
	begun := c.sent || c.raw != nil && c.raw.sent
	if c.stream != nil {
		begun = c.stream.crashed()
	}
	c.leave()
	switch {
	case c.socket != nil:
		c.socket.crashed()
	case c.raw != nil && c.raw.hijacked:
	case begun:
		c.broke = true
	default:
		c.clearHeader()
		f := internal(nil)
		if c.in != nil {
			if err := c.turn.Gate(c.ctx); err != nil { // that it broke may tell what it saw
				f = aborted(err)
			}
		}
		if v == nil {
			// None of net/http's code runs any more, which would say where it ends.
			c.rw.Header()["Content-Length"] = []string{strconv.Itoa(len(f.problem.Encode()))}
			c.rw.Header()["Connection"] = headerClose
		}
		c.writeFailure(f)
		if v == nil {
			_ = http.NewResponseController(c.rw).Flush()
		}
	}
}

// clearHeader drops what a raw handler said of a body that it didn't give.
func (c *Call) clearHeader() {
	h := c.rw.Header()
	for _, name := range []string{
		"Cache-Control", "Content-Encoding", "Content-Length", "Etag", "Last-Modified", "Transfer-Encoding",
	} {
		h.Del(name)
	}
	stripReserved(h)
}

// authorized asks the author's code whether the request may go on, on a value
// of its own that activates nothing, and answers if not.
func (c *Call) authorized() bool {
	if c.route.method == websocketMethod {
		if status, detail := c.handshakeFault(); status != 0 {
			c.writeFailure(failure{problem: wire.Problem{Status: status, Detail: detail}})
			return false
		}
	}
	if c.route.auth == nil {
		return true
	}
	err := c.route.auth(c.ctx, c.id, c.asked(), c.caller)
	if err == nil {
		return true
	}
	c.w.metrics.requestFailed("auth", c.route.method == websocketMethod)
	f := c.explain(err)
	if f.fault != nil {
		c.log().Info("not authorized", "error", clip(f.fault.Error()))
		f = failure{problem: wire.Problem{Status: http.StatusForbidden, Detail: detailForbidden}}
	}
	if m := c.w.member; m != nil && c.epoch != anyEpoch {
		m.denied(fence.Key{Namespace: c.kind.namespace, ID: c.id}, c.epoch)
	}
	c.writeFailure(f)
	return false
}

// asked is the request as Authorize sees it. Most need no copy.
func (c *Call) asked() *http.Request {
	if c.args[0] == "" && !hasReserved(c.req.Header) && c.ctx == c.req.Context() {
		return c.req
	}
	return c.request(c.ctx)
}

// limitRest limits how long the server waits for a body that nobody has read:
// it reads some of it before the next request.
func limitRest(rw http.ResponseWriter) {
	_ = http.NewResponseController(rw).SetReadDeadline(time.Now().Add(restTime)) // in process there is none
}

const restTime = 5 * time.Second
