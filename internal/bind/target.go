package bind

import (
	"context"
	"net"
	"net/http"
)

// Target is what a pinned.Target is made of: the two convert into each other.
// The runtime gives it its meaning, and to everybody else it is opaque.
type Target struct{ to any }

// NewTarget makes a target of what the runtime sends calls to.
func NewTarget(to any) Target { return Target{to: to} }

// To is what NewTarget was given, or nil for the zero Target.
func (t Target) To() any { return t.to }

// FakedTarget returns the target of a pinned.Faked. Package pinned fills it in.
var FakedTarget func(faked any) Target

// ClientConfig is what a pinned.ClientOption sets.
type ClientConfig struct {
	// Dial replaces the dialler of HTTP and WebSocket where it isn't nil.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Header is sent with every call and handshake.
	Header http.Header
}
