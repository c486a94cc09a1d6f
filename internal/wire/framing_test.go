package wire

import (
	"errors"
	"strings"
	"testing"
)

const after = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n"

func TestFraming(t *testing.T) {
	for _, tt := range []struct {
		name, bytes string
		bad         bool
	}{
		{"a request without a body", after + after, false},
		{"a body", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello" + after, false},
		{"what a body says is no head", "POST / HTTP/1.1\r\nContent-Length: 46\r\n\r\n" +
			"X: y\r\nContent-Length: 1\r\nTransfer-Encoding: a\r\n" + after, false},
		{"a chunked body", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n" + after, false},
		{"a trailer is no head", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n" + after, false},
		{"both", "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"both, the other way round", "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\nCONTENT-LENGTH: 5\r\n\r\n", true},
		{"both, with a zero", "POST / HTTP/1.1\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"both, ended by bare line feeds", "POST / HTTP/1.1\nContent-Length: 5\nTransfer-Encoding: chunked\n\n", true},
		{"both, hidden behind a space", "POST / HTTP/1.1\r\nContent-Length : 5\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"both, in the second request", after + "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"both, behind a body", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloPOST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"a folded line", "GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n", true},
		{"a line of blanks", "GET / HTTP/1.1\r\nX: a\r\n \r\n\r\n", true},
		{"what follows an upgrade", "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\x81\x84\n \nGET", false},
		{"empty lines in between", "\r\n" + after + "\r\n" + after, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f Framing
			n, err := f.Next([]byte(tt.bytes))
			switch {
			case errors.Is(err, ErrFraming) != tt.bad:
				t.Errorf("at once: %v", err)
			case tt.bad && endsHead(tt.bytes, n):
				t.Errorf("a whole head was passed on: %q", tt.bytes[:n])
			case !tt.bad && n != len(tt.bytes):
				t.Errorf("passed on %d of %d", n, len(tt.bytes))
			}
			f, err = Framing{}, nil
			for i := 0; i < len(tt.bytes) && err == nil; i++ {
				n, err = f.Next([]byte{tt.bytes[i]})
				if err != nil && n > 0 {
					t.Error("the byte that completes the head was passed on")
				}
			}
			if errors.Is(err, ErrFraming) != tt.bad {
				t.Errorf("byte by byte: %v", err)
			}
		})
	}
}

// endsHead reports whether the last head in the first n bytes is complete.
func endsHead(b string, n int) bool {
	b = b[:n]
	begin := max(strings.LastIndex(b, "POST"), strings.LastIndex(b, "GET"))
	return begin >= 0 && (strings.Contains(b[begin:], "\r\n\r\n") || strings.Contains(b[begin:], "\n\n"))
}

func TestFramingKeepsLittleOfALongLine(t *testing.T) {
	var f Framing
	if _, err := f.Next([]byte("GET / HTTP/1.1\r\nX: ")); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := f.Next([]byte(strings.Repeat("x", 1000))); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.carry) > maxKept {
		t.Errorf("keeps %d bytes of a line", len(f.carry))
	}
}

func FuzzFramingDoesNotDependOnReads(f *testing.F) {
	f.Add([]byte("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"+after), 7)
	f.Add([]byte("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"+after), 3)
	f.Add([]byte("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"), 20)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		if cut < 0 || cut > len(b) {
			return
		}
		for line := range strings.SplitSeq(string(b), "\n") {
			if len(line) > maxKept {
				return // only the beginning of a line that was cut is looked at
			}
		}
		var whole, parts Framing
		_, err := whole.Next(b)
		_, err1 := parts.Next(b[:cut])
		if err1 == nil {
			_, err1 = parts.Next(b[cut:])
		}
		if (err == nil) != (err1 == nil) {
			t.Errorf("at once %v, in two reads %v", err, err1)
		}
	})
}
