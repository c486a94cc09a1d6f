package runtime

import (
	"bytes"
	"fmt"
	goruntime "runtime"
	"time"
	"unsafe"
)

const (
	// heldLong is how long a turn is held before that is logged.
	heldLong = time.Second
	// watchEvery is how often the watch looks.
	watchEvery = heldLong / 4
	// longestStacks bounds the buffer for the stacks of all goroutines.
	longestStacks = 16 << 20
)

// hold is one hold of a turn as the watch sees it.
type hold struct {
	grants uint32
	seen   time.Duration // when it was first seen
	logged bool
}

// watch logs, once each, the turns that are held for a second, with the stack of
// the goroutine that holds them. It looks at what is in use four times a second,
// so that a turn costs no timer.
func (w *Worker) watch() {
	var holds map[*instance]hold
	for {
		fired, stop := w.clock.Timer(watchEvery)
		select {
		case <-fired:
			holds = w.look(holds)
		case <-w.drained:
			stop()
			return
		}
	}
}

// look compares the turns that are held now with those of the last look, and
// returns them.
func (w *Worker) look(last map[*instance]hold) map[*instance]hold {
	var busy []*instance
	w.shards(func(sh *shard) {
		sh.mu.Lock()
		busy = sh.dir.Busy(busy)
		sh.mu.Unlock()
	})
	if len(busy) == 0 {
		return nil
	}

	now := w.now()
	holds := make(map[*instance]hold, len(busy))
	var stacks []byte
	for _, in := range busy {
		in.mu.Lock()
		held, grants, holder := in.line.Held(), in.line.Grants(), in.holder
		in.mu.Unlock()
		if !held {
			continue
		}
		h, ok := last[in]
		if !ok || h.grants != grants {
			h = hold{grants: grants, seen: now}
		}
		if now-h.seen >= heldLong && !h.logged {
			h.logged = true
			if stacks == nil {
				stacks = allStacks()
			}
			in.Log().Warn("a turn is held for long: wait in pinned.Await, or split the work",
				"held", now-h.seen, "stack", stackText(stackOf(stacks, holder)))
		}
		holds[in] = h
	}
	return holds
}

// allStacks is what runtime.Stack says of all goroutines.
func allStacks() []byte {
	for size := 64 << 10; ; size *= 4 {
		buf := make([]byte, min(size, longestStacks))
		if n := goruntime.Stack(buf, true); n < len(buf) || size >= longestStacks {
			return buf[:n]
		}
	}
}

// stackOf finds the goroutine that runs a turn's code: it has a frame of seated
// with the turn among its arguments. It is empty where there is none any more.
func stackOf(stacks []byte, t *turn) []byte {
	frame, pointer := []byte("/runtime.seated["), fmt.Appendf(nil, "%#x", uintptr(unsafe.Pointer(t))) //nolint:gosec // only to print it
	for goroutine := range bytes.SplitSeq(stacks, []byte("\n\n")) {
		for line := range bytes.Lines(goroutine) {
			if i := bytes.Index(line, frame); i >= 0 && bytes.Contains(line[i:], pointer) {
				return goroutine
			}
		}
	}
	return nil
}
