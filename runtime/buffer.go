package runtime

import (
	"encoding/json"
	"slices"
	"sync"
)

// buffer holds one body, of a request or an answer, while it is decoded or
// written. No connection keeps one.
type buffer struct {
	bytes []byte
	json  *json.Encoder // writes into bytes
}

// maxPooled is the capacity up to which a buffer is used again. A pool of the
// largest bodies would keep their memory.
const maxPooled = 64 << 10

// bufferPool is the buffers that are free.
type bufferPool struct{ pool sync.Pool }

var buffers = &bufferPool{sync.Pool{New: func() any {
	b := &buffer{bytes: make([]byte, 0, 1<<10)}
	b.json = json.NewEncoder(b)
	return b
}}}

// get returns an empty buffer.
func (p *bufferPool) get() *buffer {
	b, _ := p.pool.Get().(*buffer)
	return b
}

// put takes a buffer back that nothing refers to any more.
func (p *bufferPool) put(b *buffer) {
	if cap(b.bytes) <= maxPooled {
		b.bytes = b.bytes[:0]
		p.pool.Put(b)
	}
}

// Write appends.
func (b *buffer) Write(p []byte) (int, error) {
	b.bytes = append(b.bytes, p...)
	return len(p), nil
}

// grow makes room for n more bytes.
func (b *buffer) grow(n int) { b.bytes = slices.Grow(b.bytes, n) }

// encode appends the JSON of what v points to, and a line break. Through the
// pointer, methods of *T count too.
func (b *buffer) encode(v any) error { return b.json.Encode(v) }
