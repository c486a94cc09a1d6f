package params_reader

import (
	"context"
	"io"

	"github.com/pinned-go/pinned"
)

//pinned:object /params_reader
type Store struct{ pinned.Object }

//pinned:route PUT /files/{path...} limit=1MiB
func (s *Store) Put(ctx context.Context, path string, body io.Reader) (string, error) {
	b, err := io.ReadAll(body)
	return path + "=" + string(b), err
}

//pinned:route POST /copy
func (s *Store) Copy(ctx context.Context, body io.Reader) (io.Reader, error) {
	b, err := io.ReadAll(body)
	return &once{b}, err
}

type once struct{ b []byte }

func (o *once) Read(p []byte) (int, error) {
	if len(o.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, o.b)
	o.b = o.b[n:]
	return n, nil
}
