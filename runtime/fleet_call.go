package runtime

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/fence"
	"github.com/pinned-go/pinned/internal/wire"
)

// neighbour calls another instance of a fleet: in process where it is resident here, and
// through the pinboard where not (wire contract, section 6).
type neighbour struct {
	local

	pinboard *remote
}

// newNeighbour is the endpoint of calls by an instance.
func (m *member) newNeighbour(caller pinned.Caller) (endpoint, error) {
	pinboard, err := newRemote(m.Pinboard, bind.ClientConfig{})
	if err != nil {
		return nil, err
	}
	return &neighbour{local{worker: m.w, caller: caller}, pinboard}, nil
}

// resident reports whether the callee is live here.
func (n *neighbour) resident(q *Request) bool {
	namespace, id, _ := address(q.ref.path)
	return n.worker.find(fence.Key{Namespace: namespace, ID: id}) != nil
}

// outside is the pinboard with the headers of one call.
func (n *neighbour) outside(ctx context.Context, q *Request) (*remote, error) {
	caller, err := n.callerIn(ctx, q)
	if err != nil {
		return nil, err
	}
	m := n.worker.member
	session := m.view.Load().session
	if session == "" {
		return nil, &sendError{err: errors.New("the worker has no session with its pinboard")}
	}
	to := *n.pinboard
	to.header = http.Header{
		wire.HeaderFrom: {caller.Namespace + "/" + caller.ID}, wire.HeaderSession: {session},
		wire.HeaderSessionSecret: {m.secret}, wire.HeaderDepth: {strconv.Itoa(caller.Depth)},
	}
	return &to, nil
}

func (n *neighbour) send(ctx context.Context, q *Request, body *sendBody, want want) (*reply, error) {
	if n.resident(q) {
		return n.local.send(ctx, q, body, want)
	}
	to, err := n.outside(ctx, q)
	if err != nil {
		return nil, err
	}
	return to.send(ctx, q, body, want)
}

func (n *neighbour) dial(ctx context.Context, q *Request) (pinned.Frames, *reply, error) {
	if n.resident(q) {
		return n.local.dial(ctx, q)
	}
	to, err := n.outside(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return to.dial(ctx, q)
}
