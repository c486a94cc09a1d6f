package runtime

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
)

const (
	dialTimeout = 10 * time.Second
	// maxIdlePerHost is how many connections to a worker or pinboard stay open
	// between calls: the default of 2 would close most of them under load.
	maxIdlePerHost = 256
	// idleTimeout is below the 120 s of a worker, so that it is the client that
	// closes, and no call meets a connection that is being closed.
	idleTimeout = 90 * time.Second
	// maxAnswerHead bounds the head of an answer.
	maxAnswerHead = 256 << 10
)

// userAgent is sent where neither the route nor WithHeader has another.
const userAgent = "pinned-go"

// Dial calls through the worker or the pinboard at base, an http or https URL
// whose path, if it has one, stands before the namespace. A bad base is the error
// of every call. Proxies of the environment aren't used; redirects aren't
// followed; https speaks HTTP/2 where the other side does.
func Dial(base string, opts ...pinned.ClientOption) pinned.Target {
	var config bind.ClientConfig
	for _, opt := range opts {
		if opt != nil {
			opt(&config)
		}
	}
	e, err := newRemote(base, config)
	if err != nil {
		return newTarget(badCall(err))
	}
	return newTarget(e)
}

// remote calls over the network.
type remote struct {
	scheme, host string // of the base: the host with its port, if it has one
	prefix       string // of the base's path, escaped, without a trailing slash
	header       http.Header
	transport    *http.Transport
	dialer       dialFunc
}

type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// shared has the connections of all clients without a dialler of their own, so
// that a client made for one call leaves none behind.
var (
	defaultDial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext
	shared      = newTransport(defaultDial)
)

func newRemote(base string, config bind.ClientConfig) (*remote, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the base of the client: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the base %q of the client is no http or https URL", base)
	case u.Hostname() == "":
		return nil, fmt.Errorf("the base %q of the client has no host", base)
	case u.User != nil:
		return nil, fmt.Errorf("the base of the client has a user: send it with pinned.WithHeader")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("the base %q of the client has a query or a fragment", base)
	}
	for name, values := range config.Header {
		for _, v := range values {
			if err := validHeader(name, v); err != nil {
				return nil, err
			}
		}
	}
	e := &remote{
		scheme:    u.Scheme,
		host:      u.Host,
		prefix:    strings.TrimRight(u.EscapedPath(), "/"),
		header:    config.Header,
		transport: shared,
		dialer:    defaultDial,
	}
	if config.Dial != nil {
		e.dialer = config.Dial
		e.transport = newTransport(config.Dial)
	}
	return e, nil
}

// address is where the host listens.
func (e *remote) address() (host, port string, secure bool) {
	u := url.URL{Host: e.host}
	host, port, secure = u.Hostname(), u.Port(), e.scheme == "https"
	switch {
	case port != "":
	case secure:
		port = "443"
	default:
		port = "80"
	}
	return host, port, secure
}

func newTransport(dial dialFunc) *http.Transport {
	return &http.Transport{
		// A proxy of the environment would be a surprise inside a fleet, and most
		// hold up streams. Who needs one dials through it.
		Proxy: nil,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			if err != nil {
				return nil, &dialError{err}
			}
			return &countedConn{Conn: conn}, nil
		},
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // the body is as the author made it
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
		TLSHandshakeTimeout:    dialTimeout,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxAnswerHead,
	}
}

// dialError is a connection that never was: nothing can have been sent.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// isConnectionRefused reports whether nobody listened.
func isConnectionRefused(err error) bool {
	const windows = syscall.Errno(10061) // WSAECONNREFUSED, which syscall doesn't name
	return errors.Is(err, syscall.ECONNREFUSED) || goruntime.GOOS == "windows" && errors.Is(err, windows)
}

// countedConn counts what was written, so that a call knows whether anything of
// it may have been delivered.
type countedConn struct {
	net.Conn

	written atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// sending watches the connections that one attempt is given. The transport may
// take another when the first one was closed before anything was written.
type sending struct {
	conn   *countedConn
	before int64
	opaque bool // a connection that isn't one of ours: nothing is known of it
	reused bool
	sent   bool
}

func (s *sending) gotConn(info httptrace.GotConnInfo) {
	s.settle()
	conn := info.Conn
	if c, ok := conn.(*tls.Conn); ok {
		conn = c.NetConn()
	}
	s.conn, _ = conn.(*countedConn)
	s.opaque = s.conn == nil
	s.reused = info.Reused
	if s.conn != nil {
		s.before = s.conn.written.Load()
	}
}

func (s *sending) settle() {
	if s.opaque || s.conn != nil && s.conn.written.Load() != s.before {
		s.sent = true
	}
}

func (e *remote) send(ctx context.Context, q *Request, body *sendBody, want want) (*reply, error) {
	// The hooks of the transport run in the goroutine of RoundTrip.
	var watch sending
	req, err := e.request(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: watch.gotConn}), q, body)
	if err != nil {
		return nil, &sendError{err: err}
	}
	resp, err := e.transport.RoundTrip(req)
	if err != nil {
		watch.settle()
		if own := body.failed(); own != nil {
			return nil, &sendError{err: fmt.Errorf("read the body: %w", own), delivered: watch.sent}
		}
		stale := watch.reused && !watch.sent
		return nil, &sendError{err: err, delivered: watch.sent, again: stale || !watch.sent && isConnectionRefused(err)}
	}
	rep := &reply{status: resp.StatusCode, header: resp.Header}
	if !want.reads(rep.status, rep.header) {
		rep.body = resp.Body
		return rep, nil
	}
	defer func() { _ = resp.Body.Close() }()
	if err := rep.read(resp.Body, resp.ContentLength, want); err != nil {
		return nil, &sendError{err: err, delivered: true}
	}
	return rep, nil
}

// request makes the HTTP request of one attempt.
func (e *remote) request(ctx context.Context, q *Request, body *sendBody) (*http.Request, error) {
	u, err := q.url(e.scheme, e.host, e.prefix)
	if err != nil {
		return nil, err
	}
	req := (&http.Request{
		Method:     q.httpMethod(),
		URL:        u,
		Host:       e.host,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     q.headers(e.header),
	}).WithContext(ctx)
	req.Body, req.ContentLength = body.attempt()
	switch {
	case req.Body == nil && (req.Method == http.MethodGet || req.Method == http.MethodHead), idempotent(req.Header):
		// net/http sends a request again on its own, after a connection that it
		// reused broke, where that looks idempotent: a GET without a body, or
		// anything with an Idempotency-Key. It was delivered once already (wire
		// contract, section 3). A body of its own, though empty, stops that.
		if req.Body == nil {
			req.Body = emptyBody{}
		}
	case req.Body != nil && req.ContentLength == -1 && q.seeker == nil:
		// The refusal of a stream that can't go back comes before its first byte.
		req.Header.Set("Expect", "100-continue")
	}
	return req, nil
}

// idempotent reports whether net/http takes the header for leave to send again.
func idempotent(header http.Header) bool {
	return header["Idempotency-Key"] != nil || header["X-Idempotency-Key"] != nil
}

// emptyBody is a body without bytes that isn't http.NoBody.
type emptyBody struct{}

func (emptyBody) Read([]byte) (int, error) { return 0, io.EOF }
func (emptyBody) Close() error             { return nil }

// headers are what a call sends: the client's own, and over them the route's. In
// process they become the handler's, so they are copies.
func (q *Request) headers(own http.Header) http.Header {
	h := make(http.Header, len(own)+len(q.header)+2)
	defaults := []string{userAgent, q.contentType()} // of both in one piece
	h["User-Agent"] = defaults[:1:1]
	for name, values := range own {
		h[name] = slices.Clone(values)
	}
	for name, values := range q.header {
		h[name] = slices.Clone(values)
	}
	if defaults[1] != "" && h["Content-Type"] == nil {
		h["Content-Type"] = defaults[1:]
	}
	return h
}

// read takes in the whole body, the beginning of it if it is an error's.
func (r *reply) read(body io.Reader, length int64, want want) error {
	limit := int64(maxAnswer)
	if want.fails(r.status, r.header) {
		limit = maxProblem
	}
	if length > limit {
		length = limit
	}
	data, err := readUpTo(body, length, limit)
	switch {
	case err == nil:
		r.data = data
		return nil
	case limit == maxProblem:
		// The status says enough, whatever became of the body.
		r.data = data
		return nil
	}
	return err
}

// readUpTo reads a body of at most limit bytes. A length that its head declares
// is taken for a hint.
func readUpTo(body io.Reader, length, limit int64) ([]byte, error) {
	const most = 64 << 10 // what a head alone can make us set aside
	data := make([]byte, 0, max(512, min(length+1, most)))
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return data[:limit], fmt.Errorf("the answer is over %s bytes", strconv.FormatInt(limit, 10))
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return data, nil
		case err != nil:
			return data, fmt.Errorf("read the answer: %w", err)
		}
	}
}

// contentLength is what a head declares, or -1.
func contentLength(header http.Header) int64 {
	if n, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		return n
	}
	return -1
}
