package runtime

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/wire"
)

// Elements makes a call whose result is a stream. Each range over it is a call of
// its own, which is made when the range begins and ends when the loop does. An
// element is asked for when the loop comes back for it, with the turn of ctx
// given up, and nothing is read ahead but what a connection has delivered
// already. A call that fails, a stream that breaks off and one that ends with an
// author's error give that error as the last thing.
func Elements[T any](ctx context.Context, q *Request) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		s, err := q.open(ctx)
		if err != nil {
			yield(*new(T), err)
			return
		}
		defer s.close()
		for {
			line, err := s.next()
			if errors.Is(err, io.EOF) && line == nil {
				return
			}
			var v T
			if err == nil {
				if err = json.Unmarshal(line, &v); err != nil {
					v, err = *new(T), q.unexpected(s.reply, fmt.Sprintf("an element doesn't decode: %v", err))
				}
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// elements reads the elements of an NDJSON body (authoring contract, section 3).
type elements struct {
	q     *Request
	ctx   context.Context
	reply *reply
	lines *bufio.Reader
}

// open makes the call. Its error is the call's.
func (q *Request) open(ctx context.Context) (*elements, error) {
	rep, err := q.do(ctx, wantBody)
	if err != nil {
		return nil, err
	}
	if mediaType(rep.header) != wire.TypeNDJSON {
		_ = rep.body.Close()
		return nil, q.unexpected(rep, "the answer is no "+wire.TypeNDJSON+": "+quoteAnswer(rep))
	}
	return &elements{q: q, ctx: ctx, reply: rep, lines: bufio.NewReader(rep.body)}, nil
}

func (s *elements) close() { _ = s.reply.body.Close() }

// next returns the line of the next element, io.EOF after a complete stream, or
// the call's error. The line is good until the next call.
func (s *elements) next() ([]byte, error) {
	if turn := giveUp(s.ctx); turn != nil {
		defer turn.Retake()
	}
	line, err := s.line()
	switch {
	case err == nil && len(line) > 0 && line[0] == wire.RecordSeparator:
		return nil, s.problem(line[1:])
	case err == nil:
		return line, nil
	case errors.Is(err, io.EOF) && len(line) == 0:
		return nil, io.EOF
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return nil, s.q.noAnswer(withContext(s.ctx, fmt.Errorf("the stream broke off: %w", err)), pinned.Unknown)
}

// line reads up to a newline, which it drops.
func (s *elements) line() ([]byte, error) {
	line, err := s.lines.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return bytes.TrimSuffix(line, []byte{'\n'}), err
	}
	long := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(long) > maxAnswer {
			return long, fmt.Errorf("an element is over %d bytes", maxAnswer)
		}
		line, err = s.lines.ReadSlice('\n')
		long = append(long, line...)
	}
	return bytes.TrimSuffix(long, []byte{'\n'}), err
}

// problem is the error that ended a stream.
func (s *elements) problem(record []byte) error {
	rep := &reply{status: http.StatusInternalServerError, header: http.Header{"Content-Type": {wire.TypeProblem}}, data: record}
	var p wire.Problem
	if json.Unmarshal(record, &p) == nil && p.Status >= http.StatusBadRequest {
		rep.status = p.Status
	}
	return s.q.answered(s.ctx, rep)
}
