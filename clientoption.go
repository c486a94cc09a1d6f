package pinned

import (
	"context"
	"net"
	"net/http"

	"github.com/pinned-go/pinned/internal/bind"
)

// ClientOption changes how the generated NewClient reaches its objects.
type ClientOption func(*bind.ClientConfig)

// WithDial makes the client open its connections with dial, for HTTP and for
// WebSocket alike: network is "tcp" and addr "host:port" of the client's base.
// TLS, where the base is https, is spoken on top of the connection.
//
// The default dials with a limit of 10 s. Clients that have no dialler of their
// own share one pool of connections.
func WithDial(dial func(ctx context.Context, network, addr string) (net.Conn, error)) ClientOption {
	return func(c *bind.ClientConfig) { c.Dial = dial }
}

// WithHeader makes the client send a header with each call and each WebSocket
// handshake, such as Authorization. A later value for the same key replaces an
// earlier one, and what a route itself sends under that key wins. A key or value
// that no header can have is the error of the first call.
func WithHeader(key, value string) ClientOption {
	return func(c *bind.ClientConfig) {
		if c.Header == nil {
			c.Header = http.Header{}
		}
		c.Header.Set(key, value)
	}
}
