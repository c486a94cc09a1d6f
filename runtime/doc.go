// Package runtime is the worker: it holds the live values of ids, gives each one
// turn at a time, and serves their routes. It is for main, which makes a Worker,
// and for the code that pinnedgen writes; authors of objects import pinned.
//
// A Worker has a directory per registered class. An id has at most one live
// value at any time: a request activates it, it is evicted when it has been idle
// for a while, and the next activation begins only after the Close of the one
// before has returned. An idle instance owns no goroutine, timer, channel or
// context. What decides all that are the step functions of internal/core; here
// are the locks, the waiting and the calls of the author's code.
package runtime

// RunGoToolPinnedgenV1 is what generated code of layout 1 refers to, so that code
// that this package doesn't support any more fails to compile, and the compiler's
// message says what to run.
const RunGoToolPinnedgenV1 = true
