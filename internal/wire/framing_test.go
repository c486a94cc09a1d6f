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
		passed      int // -1: all
	}{
		{"a request without a body", after + after, -1},
		{"a body", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello" + after, -1},
		{"what a body says is no head", "POST / HTTP/1.1\r\nContent-Length: 46\r\n\r\n" +
			"X: y\r\nContent-Length: 1\r\nTransfer-Encoding: a\r\n" + after, -1},
		{"a chunked body", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n" + after, -1},
		{"a trailer is no head", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n" + after, -1},
		{"both", "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 0},
		{"both, the other way round", "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\nCONTENT-LENGTH: 5\r\n\r\n", 0},
		{"both, with a zero", "POST / HTTP/1.1\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n", 0},
		{"both, ended by bare line feeds", "POST / HTTP/1.1\nContent-Length: 5\nTransfer-Encoding: chunked\n\n", 0},
		{"both, hidden behind a space", "POST / HTTP/1.1\r\nContent-Length : 5\r\nTransfer-Encoding: chunked\r\n\r\n", 0},
		{"both, in the second request", after + "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", len(after)},
		{"both, behind a body", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloPOST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
			len("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")},
		{"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 0},
		{"a folded line", "GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n", 0},
		{"a line of blanks", "GET / HTTP/1.1\r\nX: a\r\n \r\n\r\n", 0},
		{"what follows an upgrade", "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\x81\x84\n \nGET", -1},
		{"empty lines in between", "\r\n" + after + "\r\n" + after, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, bad := tt.passed, tt.passed >= 0
			if !bad {
				want = len(tt.bytes)
			}
			var f Framing
			f.reset()
			if n, err := f.Next([]byte(tt.bytes)); n != want || errors.Is(err, ErrFraming) != bad {
				t.Errorf("at once: passed %d, %v, want %d", n, err, want)
			}
			// The same bytes one by one: no more than the head's own come through.
			f.reset()
			var err error
			for i := 0; i < len(tt.bytes) && err == nil; i++ {
				_, err = f.Next([]byte{tt.bytes[i]})
			}
			if errors.Is(err, ErrFraming) != bad {
				t.Errorf("byte by byte: %v", err)
			}
		})
	}
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
