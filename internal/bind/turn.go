package bind

import "context"

// Turn is a context that belongs to an instance, as the runtime hands it to an
// author's code. Most hold the instance's turn; those of concurrent routes and
// of what Await runs hold none, and giving one up does nothing there.
type Turn interface {
	context.Context

	// GiveUp ends the hold before a wait. It returns what has to be taken back
	// afterwards, which is nil where nothing was given up. Giving up a turn that
	// isn't held, though this context is one that can, panics in tests.
	GiveUp() Turn
	// Retake waits until the turn is held again, whether the context has ended
	// or not.
	Retake()
	// Outside is this context without the turn: what waits in there gives up
	// nothing. It still belongs to the instance and ends with it.
	Outside() context.Context
	// Gate waits until all that the turn has written, or seen of what is durable,
	// is durable: before that nothing of it may leave (durability contract, section
	// 3). It is called when the turn has been given up, on what GiveUp returned or,
	// where that is nil, on this. An error is that of ctx, or says that the store
	// has failed.
	Gate(ctx context.Context) error
	// Yield gives the turn up, waits for Gate, runs f with Outside, and comes back
	// with the turn. It doesn't run f where Gate fails. A panic in f aborts the
	// instance and goes on.
	Yield(f func(context.Context) error) error
	// Fork runs f in a goroutine with a turn of its own, which waits in the line
	// as any other does, and whose context ends with this one. The instance
	// waits for it. What yields on this context in there gives up the fork's
	// turn. A panic in f aborts the instance. Done is closed when f has ended,
	// or when it never began because the context ended first.
	Fork(f func(context.Context)) (done <-chan struct{})
	// Panicked aborts the instance, because of what was recovered in code that
	// ran on its behalf in another goroutine.
	Panicked(value any, stack []byte)
}

// TurnKey is the key under which a context has its Turn.
type TurnKey struct{}

// TurnIn is the Turn that ctx carries, or nil.
func TurnIn(ctx context.Context) Turn {
	t, _ := ctx.Value(TurnKey{}).(Turn)
	return t
}
