package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// maxAnswer bounds what an answer may hold in memory: a whole body, or one
// element of a stream. What is larger is for an io.Reader.
const maxAnswer = 256 << 20

// Do makes a call whose result is T: a string, a []byte or an io.ReadCloser as
// it came, else JSON. A reader must be closed; its reads yield the turn of ctx,
// and it ends with ctx.
func Do[T any](ctx context.Context, q *Request) (T, error) {
	var v T
	rep, err := q.do(ctx, wantOf(&v))
	if err != nil {
		return v, err
	}
	if err := q.decode(ctx, rep, &v, true); err != nil {
		return *new(T), err
	}
	return v, nil
}

// DoNone makes a call without a result. It takes a result that a newer worker's
// route has come to give, and drops it.
func DoNone(ctx context.Context, q *Request) error {
	rep, err := q.do(ctx, wantWhole)
	if err != nil {
		return err
	}
	if rep.status == http.StatusNoContent || q.method == http.MethodHead {
		return nil
	}
	switch mediaType(rep.header) {
	case wire.TypeJSON, wire.TypeBytes, "text/plain", wire.TypeNDJSON:
		return nil
	}
	return q.unexpected(rep, "the answer is no worker's: "+quoteAnswer(rep))
}

// DoResponse makes a call whose route chose status and header. A status of 400
// or more is an error, as for any call.
func DoResponse[T any](ctx context.Context, q *Request) (*pinned.Response[T], error) {
	r := new(pinned.Response[T])
	want := wantOf(&r.Body)
	want.errorFrom = wantResponse.errorFrom
	rep, err := q.do(ctx, want)
	if err != nil {
		return nil, err
	}
	if err := q.decode(ctx, rep, &r.Body, false); err != nil {
		return nil, err
	}
	r.Status, r.Header = rep.status, rep.header.Clone() // in process it may be the handler's own
	return r, nil
}

// DoRaw makes a call of a raw route. The URL query, the header and the body of
// req are sent, none if it is nil. The answer comes as it is, whatever its
// status, but for a refusal (wire contract, section 4), which is an error. Its
// body must be closed; reads of it yield the turn of ctx, and it ends with ctx.
func DoRaw(ctx context.Context, q *Request, req *http.Request) (*http.Response, error) {
	if req != nil {
		q.raw(req)
	}
	rep, err := q.do(ctx, wantRaw)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", rep.status, http.StatusText(rep.status)),
		StatusCode:    rep.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        rep.header,
		Body:          &resultBody{ctx: ctx, body: rep.body},
		ContentLength: contentLength(rep.header),
		Request:       req,
	}, nil
}

// raw takes over what a request to a raw route has of its own.
func (q *Request) raw(req *http.Request) {
	if req.URL != nil && req.URL.RawQuery != "" {
		if q.query != "" {
			q.query += "&"
		}
		q.query += req.URL.RawQuery
	}
	for name, values := range req.Header {
		if !hopByHop[http.CanonicalHeaderKey(name)] {
			q.Header(name, values...)
		}
	}
	if req.Body != nil {
		q.Body(req.Body)
		q.length = max(0, req.ContentLength)
	}
}

// hopByHop are the headers of a request that are about its own connection (RFC
// 9110, 7.6.1), and those that net/http makes anew. A raw request that is passed
// on may still have them.
var hopByHop = map[string]bool{
	"Connection":          true,
	"Content-Length":      true,
	"Expect":              true,
	"Host":                true,
	"Keep-Alive":          true,
	"Proxy-Authorization": true,
	"Proxy-Connection":    true,
	"Te":                  true,
	"Trailer":             true,
	"Transfer-Encoding":   true,
	"Upgrade":             true,
}

// wantOf says how much of the body of a T is read at once.
func wantOf(into any) want {
	if _, ok := into.(*io.ReadCloser); ok {
		return wantBody
	}
	return wantWhole
}

// decode reads the result of a call. strict: its content type is that of its
// type, for no author chose another.
func (q *Request) decode(ctx context.Context, rep *reply, into any, strict bool) error {
	var wanted string
	switch into := into.(type) {
	case *io.ReadCloser:
		wanted = wire.TypeBytes
		*into = &resultBody{ctx: ctx, body: rep.body}
	case *[]byte:
		wanted = wire.TypeBytes
		*into = rep.data
	case *string:
		wanted = "text/plain"
		*into = string(rep.data)
	default:
		if len(rep.data) == 0 && !strict && (rep.status == http.StatusNoContent || rep.status == http.StatusNotModified) {
			return nil // what the author chose has no body, whatever Body held
		}
		if err := json.Unmarshal(rep.data, into); err != nil {
			return q.unexpected(rep, fmt.Sprintf("the answer doesn't decode: %v; it is %s", err, quoteAnswer(rep)))
		}
		return nil
	}
	if strict && mediaType(rep.header) != wanted {
		if rep.body != nil {
			_ = rep.body.Close()
		}
		return q.unexpected(rep, "the answer is no "+wanted+": "+quoteAnswer(rep))
	}
	return nil
}

// resultBody is a body that is read in a handler: reads give up the turn.
type resultBody struct {
	ctx  context.Context
	body io.ReadCloser
}

func (b *resultBody) Read(p []byte) (int, error) {
	if turn := giveUpHeld(bind.TurnIn(b.ctx)); turn != nil {
		defer turn.Retake()
	}
	n, err := b.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = withContext(b.ctx, err)
	}
	return n, err
}

func (b *resultBody) Close() error { return b.body.Close() }
