package wire

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// ErrFraming is a request whose length two readers could take differently, so
// that one of them would find a second request in the body of the first.
var ErrFraming = errors.New("the request's length is ambiguous")

// Framing follows the bytes of an HTTP/1 connection, from its beginning, and
// finds the heads that must not be accepted though net/http does: a
// Content-Length together with a Transfer-Encoding, a Transfer-Encoding in
// HTTP/1.0, and a folded line (wire contract, section 3). What net/http refuses
// by itself is not looked at.
//
// After a head that asks for an upgrade it looks at nothing more, since what
// follows may not be HTTP. A server that doesn't upgrade must close that
// connection.
type Framing struct {
	state framingState
	left  int64  // of a body or a chunk
	carry []byte // the beginning of a line whose end hasn't come; nil most of the time

	// Of the head under way.
	begun             bool // the request line was seen
	http10            bool
	chunked, upgraded bool
	length            int64 // -1: none
	bad               bool
}

type framingState int

const (
	inHead framingState = iota
	inBody
	inChunkSize
	inChunk
	inTrailer
	unframed // not ours any more
)

// maxKept is how much of a line is kept until its end comes. It holds every name
// and length that matters.
const maxKept = 256

// Next takes the bytes that were read next, and returns how many of them may be
// passed on. If that isn't all, the head that they end in is never completed: it
// must be answered with 400, after which the connection closes.
func (f *Framing) Next(p []byte) (ok int, err error) {
	for at := 0; at < len(p); {
		switch f.state {
		case unframed:
			return len(p), nil
		case inBody, inChunk:
			n := min(f.left, int64(len(p)-at))
			at += int(n)
			if f.left -= n; f.left == 0 {
				f.next()
			}
		default:
			i := bytes.IndexByte(p[at:], '\n')
			if i < 0 {
				f.keep(p[at:])
				return len(p), nil
			}
			line := p[at : at+i]
			if f.carry != nil {
				f.keep(line)
				line, f.carry = f.carry, nil
			}
			f.line(bytes.TrimSuffix(line, []byte{'\r'}))
			if f.bad {
				return at, ErrFraming
			}
			at += i + 1
		}
	}
	return len(p), nil
}

// keep keeps the beginning of a line.
func (f *Framing) keep(p []byte) {
	f.carry = append(f.carry, p[:min(len(p), max(0, maxKept-len(f.carry)))]...)
}

// next begins what follows a body or a chunk.
func (f *Framing) next() {
	if f.state == inChunk {
		f.state = inChunkSize
		return
	}
	f.reset()
}

// reset begins a head.
func (f *Framing) reset() { *f = Framing{length: -1} }

// line takes a whole line, or the part of it that was kept.
func (f *Framing) line(line []byte) {
	switch f.state {
	case inChunkSize:
		f.chunkSize(line)
	case inTrailer:
		if len(line) == 0 {
			f.reset()
		}
	default:
		f.headLine(line)
	}
}

func (f *Framing) headLine(line []byte) {
	switch {
	case !f.begun && len(line) == 0: // net/http skips, or refuses
	case !f.begun:
		f.reset()
		f.begun = true
		f.http10 = bytes.HasSuffix(line, []byte(" HTTP/1.0"))
	case len(line) == 0:
		f.headEnd()
	case line[0] == ' ' || line[0] == '\t':
		f.bad = true
	case line[0]|0x20 == 'c' || line[0]|0x20 == 't' || line[0]|0x20 == 'u':
		f.field(line)
	}
}

func (f *Framing) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	switch {
	case is(name, "content-length"):
		n, err := strconv.ParseInt(strings.TrimSpace(string(value)), 10, 64)
		if err != nil || n < 0 {
			n = 0 // net/http refuses it
		}
		f.length = n
	case is(name, "transfer-encoding"):
		f.chunked = true
	case is(name, "upgrade"):
		f.upgraded = true
	}
}

// is compares a header's name. Spaces don't hide one.
func is(name []byte, lower string) bool {
	return bytes.EqualFold(bytes.TrimSpace(name), []byte(lower))
}

func (f *Framing) headEnd() {
	switch {
	case f.chunked && (f.length >= 0 || f.http10):
		f.bad = true
	case f.upgraded:
		f.state = unframed
	case f.chunked:
		f.state = inChunkSize
	case f.length > 0:
		f.state, f.left = inBody, f.length
	default:
		f.reset()
	}
}

func (f *Framing) chunkSize(line []byte) {
	digits := 0
	for digits < len(line) && isHex(line[digits]) {
		digits++
	}
	size, err := strconv.ParseInt(string(line[:digits]), 16, 62)
	switch {
	case err != nil:
		f.state = unframed // net/http gives up here
	case size == 0:
		f.state = inTrailer
	default:
		f.state, f.left = inChunk, size+int64(len("\r\n"))
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
