package postgres

import (
	"errors"
	"fmt"
	"time"

	"github.com/pinned-go/pinned/durability"
)

// Option changes a Store.
type Option func(*options) error

type options struct {
	poolSize  int32         // 8
	timeout   time.Duration // 25 s, of a lock and of a statement
	deadline  time.Duration // 30 s, of this side
	configure func(key durability.Key) []Setting
	prepared  bool
}

func defaults() options {
	return options{poolSize: 8, timeout: 25 * time.Second, deadline: 30 * time.Second}
}

// WithPoolSize bounds how many connections are open at once. They are dialled when
// they are needed. Default: 8.
func WithPoolSize(n int) Option {
	return func(o *options) error {
		if n < 1 || n > 1<<15 {
			return fmt.Errorf("pool size %d: must be at least 1", n)
		}
		o.poolSize = int32(n)
		return nil
	}
}

// WithTimeouts sets how long a statement, or its wait for a lock, may take at the server,
// and after what time this side gives a connection up that doesn't answer. Default: 25 s
// and 30 s.
func WithTimeouts(statement, deadline time.Duration) Option {
	return func(o *options) error {
		if statement < time.Millisecond || deadline <= statement {
			return fmt.Errorf("timeouts %v and %v: the second must be longer than the first, which is at least 1ms", statement, deadline)
		}
		o.timeout, o.deadline = statement, deadline
		return nil
	}
}

// Setting is a parameter of the server that a transaction runs with, such as "role", or
// one of the author's own.
type Setting struct{ Name, Value string }

// WithConfigureTx gives each transaction settings of its own, by the instance that it is
// for: a role, or a tenant for policies on rows. Instances whose settings differ don't
// share a statement.
func WithConfigureTx(f func(key durability.Key) []Setting) Option {
	return func(o *options) error {
		if f == nil {
			return errors.New("the function that configures transactions is nil")
		}
		o.configure = f
		return nil
	}
}

// WithPreparedStatements has the server keep the store's statements, which is faster, but
// doesn't go with every pooler of transactions. Default: it doesn't.
func WithPreparedStatements() Option {
	return func(o *options) error {
		o.prepared = true
		return nil
	}
}
