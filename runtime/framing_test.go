package runtime

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/pinned-go/pinned/internal/wire"
)

func TestARefusedHeadDoesNotEndTheRequestBefore(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	conn := &framedConn{Conn: server}
	first := "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	bad := "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	go func() {
		_, _ = io.WriteString(client, first+bad)
		_, _ = io.WriteString(client, "more that nobody gets")
		_ = client.Close()
	}()
	b := make([]byte, 4096)
	n, err := conn.Read(b)
	if err != nil || n < len(first) || n > len(first)+len(bad)-len("\r\n0\r\n\r\n") {
		t.Fatalf("%q, %v", b[:n], err)
	}
	// net/http looks for the client's leaving, a byte at a time.
	if n, err := conn.Read(b[:1]); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("the read behind a handler: %d, %v, want the end of the connection", n, err)
	}
	if n, err := conn.Read(b); n != 0 || !errors.Is(err, wire.ErrFraming) {
		t.Errorf("the next head: %d, %v", n, err)
	}
}
