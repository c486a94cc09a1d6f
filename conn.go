package pinned

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// Frames is what a Conn sends and receives messages through. The runtime has
// one for each WebSocket; a test can make its own.
type Frames interface {
	// ReadFrame returns the next message. It returns io.EOF after the other side
	// closed normally. One ReadFrame runs at a time.
	ReadFrame(ctx context.Context) ([]byte, error)
	// WriteFrame sends a message. It may be called from several goroutines, and
	// keeps nothing of the slice.
	WriteFrame(ctx context.Context, message []byte) error
	// Close says goodbye with a close code. What is sent later fails.
	Close(code int, reason string) error
}

// Conn is a WebSocket whose messages are JSON: In is what this side receives,
// Out what it sends, each as one text frame (authoring contract, section 3).
//
// Its methods give the turn up while they wait. Send may be called from several
// goroutines; Receive and All belong to one. A context that ends while a message
// is being written breaks the connection, since half a frame may have passed; so
// does one that ends while a handler receives. A client's Receive may be called
// again. The handler's own context ends with the instance.
type Conn[In, Out any] struct{ frames Frames }

// NewConn makes a Conn over f.
func NewConn[In, Out any](f Frames) *Conn[In, Out] { return &Conn[In, Out]{frames: f} }

// Receive returns the next message. The error is io.EOF once the other side
// closed normally (1000, 1001, or without a code). A message that doesn't decode
// closes the connection with 1007.
func (c *Conn[In, Out]) Receive(ctx context.Context) (In, error) {
	var in In
	message, err := c.read(ctx)
	if err != nil {
		return in, err
	}
	if !utf8.Valid(message) {
		return in, c.refuse(errors.New("invalid UTF-8"))
	}
	if err := json.Unmarshal(message, &in); err != nil {
		return *new(In), c.refuse(err)
	}
	return in, nil
}

// read waits for a frame outside the turn.
func (c *Conn[In, Out]) read(ctx context.Context) ([]byte, error) {
	if t := giveUp(ctx); t != nil {
		defer t.Retake()
	}
	return c.frames.ReadFrame(ctx)
}

// refuse closes the connection because of a message that is not an In.
func (c *Conn[In, Out]) refuse(err error) error {
	_ = c.frames.Close(wire.CloseInvalid, "the message doesn't decode")
	return fmt.Errorf("decode a message: %w", err)
}

// Send sends one message. It encodes at once, then waits outside the turn until
// the connection has taken it.
func (c *Conn[In, Out]) Send(ctx context.Context, message Out) error {
	data, err := json.Marshal(&message)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	return c.write(ctx, data)
}

// write sends a frame outside the turn, once what it may tell of is durable.
func (c *Conn[In, Out]) write(ctx context.Context, data []byte) error {
	if t := bind.TurnIn(ctx); t != nil {
		if given := t.GiveUp(); given != nil {
			defer given.Retake()
			t = given
		}
		if err := t.Gate(ctx); err != nil {
			return err
		}
	}
	return c.frames.WriteFrame(ctx, data)
}

// All yields every message until the other side closes normally, or yields the
// error that Receive returns.
func (c *Conn[In, Out]) All(ctx context.Context) iter.Seq2[In, error] {
	return func(yield func(In, error) bool) {
		for {
			in, err := c.Receive(ctx)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(in, err)
				return
			case !yield(in, nil):
				return
			}
		}
	}
}

// Forward sends the elements of seq in the background, beside the handler's own
// loop, until seq, the connection or the handler ends. Code inside seq runs in
// turns of its own. An error of seq closes the connection as it would if the
// handler returned it.
func (c *Conn[In, Out]) Forward(ctx context.Context, seq iter.Seq2[Out, error]) {
	forward := func(ctx context.Context) {
		if err := c.forward(ctx, seq); err != nil && ctx.Err() == nil {
			c.fail(ctx, err)
		}
	}
	if t := bind.TurnIn(ctx); t != nil {
		t.Fork(forward)
		return
	}
	go forward(ctx)
}

// forward returns the error of seq. That of a connection which ended is no
// fault: the handler's own loop sees it too.
func (c *Conn[In, Out]) forward(ctx context.Context, seq iter.Seq2[Out, error]) error {
	for out, err := range seq {
		if err != nil {
			return err
		}
		data, err := json.Marshal(&out)
		if err != nil {
			return fmt.Errorf("encode a message: %w", err)
		}
		if err := c.write(ctx, data); err != nil {
			return nil
		}
	}
	return nil
}

// fail tells the other side of an error.
func (c *Conn[In, Out]) fail(ctx context.Context, err error) {
	if f, ok := c.frames.(bind.Failer); ok {
		f.Fail(ctx, err)
		return
	}
	_ = c.frames.Close(wire.CloseInternal, "internal error")
}

// Close says goodbye with a close code, 1000 to 4999, and a reason of at most
// 123 bytes; what is longer is cut. The handler that returns nil closes with
// 1000 on its own.
func (c *Conn[In, Out]) Close(code int, reason string) error {
	if p, ok := c.frames.(bind.Parter); ok {
		return p.Part(code, wire.CloseReason(reason))
	}
	return c.frames.Close(code, wire.CloseReason(reason))
}

// giveUp ends the hold of the turn in ctx. What it returns, if anything, takes
// it back.
func giveUp(ctx context.Context) bind.Turn {
	if t := bind.TurnIn(ctx); t != nil {
		return t.GiveUp()
	}
	return nil
}
