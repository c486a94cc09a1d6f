package runtime

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/pinned-go/pinned/internal/wire"
)

// Request is one call in the making. Its methods note the first thing that is
// wrong, which becomes the call's error before anything is sent. Once built it
// isn't changed, so a stream may be ranged more than once.
type Request struct {
	ref    *ref
	method string // WEBSOCKET is among them
	path   string // escaped, after the id
	query  string // encoded, without "?"
	header http.Header
	json   []byte    // the body, or
	reader io.Reader // the body, or nil
	seeker io.Seeker // the reader, if it can go back to start
	start  int64
	length int64       // of what the reader gives, 0: unknown
	used   atomic.Bool // the reader was given to an attempt
	fault  error
}

// String names the call in errors: "GET /rooms/lobby/topic". It leaves the query
// out, which may hold what no log should.
func (q *Request) String() string { return q.method + " " + q.ref.path + q.path }

func (q *Request) note(err error) {
	if q.fault == nil {
		q.fault = badCall(err)
	}
}

// Query adds a query parameter, once for each value.
func (q *Request) Query(name string, values ...string) {
	var b strings.Builder
	b.WriteString(q.query)
	for _, v := range values {
		if err := textFault(v); err != nil {
			q.note(fmt.Errorf("query parameter %q: %w", name, err))
			return
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(name))
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(v))
	}
	q.query = b.String()
}

// Header adds a header, once for each value. White space around a value is
// dropped, as any HTTP peer does.
func (q *Request) Header(name string, values ...string) {
	for _, v := range values {
		if err := textFault(v); err != nil {
			q.note(fmt.Errorf("header %s: %w", name, err))
			return
		}
		v = strings.Trim(v, " \t")
		if err := validHeader(name, v); err != nil {
			q.note(err)
			return
		}
		if q.header == nil {
			q.header = http.Header{}
		}
		q.header.Add(name, v)
	}
}

// JSON makes v the body.
func (q *Request) JSON(v any) {
	if t := reflect.TypeOf(v); t != nil && t.Kind() != reflect.Pointer {
		// Of its address, so that methods of *T count, as they do at the worker.
		p := reflect.New(t)
		p.Elem().Set(reflect.ValueOf(v))
		v = p.Interface()
	}
	body, err := json.Marshal(v)
	if err != nil {
		q.note(fmt.Errorf("encode the body: %w", err))
		return
	}
	q.json = body
}

// Body makes what r reads the body, nothing if r is nil. It is sent as it is
// read and never closed. A call is made again after a refusal only if r was not
// read yet or is an io.Seeker, which then goes back to where it was. No read
// begins once the call, or the stream that it is answered with, has ended.
func (q *Request) Body(r io.Reader) {
	switch own := r.(type) {
	case nil:
		r = http.NoBody
	case *yieldingBody:
		// The raw body of the caller's own request. The call has given the turn
		// up for as long as it reads.
		relayed := *own
		relayed.turn = nil
		r = &relayed
	}
	q.reader = r
	if s, ok := r.(io.Seeker); ok {
		// A pipe of the system has the method too, and says no.
		if start, err := s.Seek(0, io.SeekCurrent); err == nil {
			q.seeker, q.start = s, start
		}
	}
}

// contentType is that of the request's body, empty without one.
func (q *Request) contentType() string {
	switch {
	case q.json != nil:
		return wire.TypeJSON
	case q.reader != nil:
		return wire.TypeBytes
	}
	return ""
}

// httpMethod is the method that carries a call: a handshake is a GET.
func (q *Request) httpMethod() string {
	if q.method == methodWebSocket {
		return http.MethodGet
	}
	return q.method
}

// url is the request's own, after a prefix of the base's, which is escaped.
func (q *Request) url(scheme, host, prefix string) (*url.URL, error) {
	escaped := prefix + q.ref.path + q.path
	u := &url.URL{Scheme: scheme, Host: host, Path: escaped, RawQuery: q.query}
	if strings.IndexByte(escaped, '%') >= 0 {
		path, err := url.PathUnescape(escaped)
		if err != nil {
			return nil, err
		}
		// EscapedPath compares the two, and falls back to an encoding of its own
		// where they differ: so every byte that goes out is the one in escaped.
		u.Path, u.RawPath = path, escaped
	}
	return u, nil
}

// validHeader says what makes a header impossible to send. What net/http sends
// in its own way, or a hop keeps for itself, can't be an author's either.
func validHeader(name, value string) error {
	if name == "" || strings.ContainsFunc(name, func(c rune) bool { return !tokenRune(c) }) {
		return fmt.Errorf("%q is no name of a header", name)
	}
	if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7F }) {
		return fmt.Errorf("header %s: the value has a control character", name)
	}
	return nil
}

func tokenRune(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c < 0x80 && c > ' ' && strings.ContainsRune("!#$%&'*+-.^_`|~", c)
}
