package durability

import (
	"context"
	"errors"
	"fmt"
)

// FenceLost says that an instance has a newer owner: nothing that this one still
// writes or reads can succeed, and it must end.
type FenceLost struct { //nolint:errname // the contract calls it so
	Key    Key
	Epoch  int64 // the caller's; of Adopt, the one that it expected
	Stored int64 // the store's, where it told; else 0
}

func (e *FenceLost) Error() string {
	if e.Stored == 0 {
		return fmt.Sprintf("%s: the fence of epoch %d is lost", e.Key, e.Epoch)
	}
	return fmt.Sprintf("%s: the fence of epoch %d is lost, the stored epoch is %d", e.Key, e.Epoch, e.Stored)
}

// RejectedError says that a store refused an operation before it changed
// anything, and always would.
type RejectedError struct {
	Key    Key
	Tray   Tray   // the zero one where the operation has no row
	Op     string // "everything" where the key itself is refused
	Reason string // such as "the document holds a NUL, which Postgres can't keep"
}

func (e *RejectedError) Error() string {
	if e.Tray == (Tray{}) {
		return fmt.Sprintf("%s: %s refused: %s", e.Key, e.Op, e.Reason)
	}
	return fmt.Sprintf("%s: %s of row %s refused: %s", e.Key, e.Op, e.Tray, e.Reason)
}

// UnknownError says that a write may or may not have taken effect.
type UnknownError struct {
	Key Key
	Op  string
	Err error
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s: whether %s took effect isn't known: %v", e.Key, e.Op, e.Err)
}

// Unwrap is why.
func (e *UnknownError) Unwrap() error { return e.Err }

// InUseError says that another worker in local mode has the store.
type InUseError struct {
	Store string // such as the path of the file
	Err   error
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("the store %s is in use by another worker in local mode", e.Store)
}

// Unwrap is what the store said.
func (e *InUseError) Unwrap() error { return e.Err }

var (
	// ErrClosed is the error of every operation on a closed store.
	ErrClosed = errors.New("the store is closed")
	// ErrLocked says that somebody else holds the lock of an instance: nothing
	// has changed.
	ErrLocked = errors.New("the instance is locked by somebody else")
)

// ContextError is nil until ctx has ended, and then the error of a store's operation that
// ctx has ended: it is both ctx.Err() and the cause that ctx was given, if any.
func ContextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

func (k Key) String() string { return k.Namespace + "/" + k.ID }

func (t Tray) String() string { return fmt.Sprintf("(%q, %q)", t.Namespace, t.ID) }
