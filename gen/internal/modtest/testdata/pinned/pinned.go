// Package pinned has what the generator must recognise, and no more, so that its
// tests need nothing else.
package pinned

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"time"
)

type Object struct{ _ [0]func() }

type Lease struct{}

func (o *Object) ID() string                                                    { return "" }
func (o *Object) Now() time.Time                                                { return time.Time{} }
func (o *Object) Epoch() int64                                                  { return 0 }
func (o *Object) Lease() Lease                                                  { return Lease{} }
func (o *Object) Log() *slog.Logger                                             { return nil }
func (o *Object) Go(ctx context.Context, f func(context.Context))               {}
func (o *Object) Turn(ctx context.Context, f func(context.Context) error) error { return nil }
func (o *Object) Abort(cause error)                                             {}
func (o *Object) object() *Object                                               { return o }

type Hosted interface{ object() *Object }

type Caller struct{ Namespace, ID string }

type Response[T any] struct {
	Status int
	Header http.Header
	Body   T
}

type Error struct{ Status int }

func (*Error) Error() string { return "" }

type (
	Errors    []ErrorCode
	ErrorCode struct{ Code string }
)

type Conn[In, Out any] struct{}

func (*Conn[In, Out]) Receive(context.Context) (in In, err error) { return }
func (*Conn[In, Out]) Send(context.Context, Out) error            { return nil }
func (*Conn[In, Out]) All(context.Context) iter.Seq2[In, error]   { return nil }

type Target struct{}

type ClientOption func()

type Feed[T any] struct{}

// What is durable.
type (
	Value[T any]   struct{ _ [0]func() }
	Queue[T any]   struct{ _ [0]func() }
	Outbox[T any]  struct{ _ [0]func() }
	Map[T any]     struct{ _ [0]func() }
	Jobs[T any]    struct{ _ [0]func() }
	TrayOf[T any]  struct{ _ [0]func() }
	TraysOf[T any] struct{ _ [0]func() }

	Tray      struct{ _ [0]func() }
	Dispatch  struct{ _ [0]func() }
	Receipt   struct{}
	Admission struct{}
	When      struct{}
	Alarm     struct{ Name string }
)

func (o *Object) SetAlarm(name string, when When, payload ...any) Receipt { return Receipt{} }
func (o *Object) CancelAlarm(name string) Receipt                         { return Receipt{} }
func (o *Object) Alarms() []string                                        { return nil }

func (t *Tray) Key() string                      { return "" }
func (t *Tray) Kick()                            {}
func (t *Tray) Delete(ctx context.Context) error { return nil }
func (t *Tray) Parked() bool                     { return false }
func (t *Tray) Unpark() Receipt                  { return Receipt{} }
func (t *Tray) Running() int64                   { return 0 }
func (t *Tray) Stop(epoch int64) error           { return nil }
func (t *Tray) CancelDispatch() bool             { return false }
