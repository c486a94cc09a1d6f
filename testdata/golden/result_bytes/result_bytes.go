package result_bytes

import (
	"context"
	"io"
	"strings"

	"github.com/pinned-go/pinned"
)

//pinned:object /result_bytes
type Blob struct{ pinned.Object }

//pinned:route GET /bytes
func (b *Blob) Bytes(ctx context.Context) ([]byte, error) { return []byte{0, 1, 255}, nil }

//pinned:route GET /only
func (b *Blob) Only() []byte { return []byte("x") }

//pinned:route GET /reader
func (b *Blob) Reader(ctx context.Context) (io.Reader, error) {
	return strings.NewReader(strings.Repeat("0123456789", 10)), nil
}

//pinned:route GET /plain-reader
func (b *Blob) PlainReader() io.Reader { return strings.NewReader("plain") }
