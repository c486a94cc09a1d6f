package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pinned-go/pinned/durability"
)

// hold is a worker's hold of the database: an advisory lock of a session of its own, which
// ends with the process. It ends with the session too, so the session is watched: when it
// breaks, all operations wait until the lock is taken again. Each hold has a number, which
// is stored, and every write checks that it is still its worker's: a session may have ended
// at the server long before this side hears of it. Once another worker has had the
// database, every operation fails, since what is resident may be stale.
type hold struct {
	s      *Store
	number int64
	cancel context.CancelFunc
	done   chan struct{} // closed: nobody watches any more

	mu    sync.Mutex
	ready chan struct{} // closed while the lock is held, or err is set
	err   error
}

// numberKey is where the number of the last hold is stored: no namespace is like it.
var numberKey = durability.Key{Namespace: "pinned", ID: "local mode"}

// Hold implements durability.Exclusive. A broken session is replaced, and its lock taken
// again; where another worker has had the store meanwhile, every operation fails from then
// on with a *durability.InUseError.
func (s *Store) Hold(ctx context.Context) (release func() error, warning string, err error) {
	inner, end, err := s.use(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("store %s: hold: %w", s.name, err)
	}
	defer end()
	if err := s.prepare(inner); err != nil {
		return nil, "", fmt.Errorf("store %s: hold: %w", s.name, err)
	}
	h := &hold{s: s, ready: make(chan struct{}), done: make(chan struct{})}
	conn, pooled, err := h.lock(inner)
	if err != nil {
		return nil, "", err
	}
	err = pgx.BeginFunc(inner, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(inner, "SELECT pg_advisory_xact_lock(hashtext('pinned holder'), hashtext(current_schema()))"); err != nil {
			return err
		}
		return tx.QueryRow(inner, `INSERT INTO pinned_epoch AS e (ns, id, epoch) VALUES ($1, $2, 1)
ON CONFLICT (ns, id) DO UPDATE SET epoch = e.epoch + 1 RETURNING epoch`, numberKey.Namespace, numberKey.ID).Scan(&h.number)
	})
	if err != nil {
		return nil, "", fmt.Errorf("store %s: hold: %w", s.name, errors.Join(s.clean(err), conn.Close(inner)))
	}
	close(h.ready)
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	h.cancel = cancel
	if pooled {
		warning = "a pooler gives each transaction another session of the server, so that a second worker can't be kept out: " +
			"once it starts, this one's writes fail"
		h.close(conn)
		close(h.done)
	} else {
		go h.watch(watching, conn)
	}
	s.mu.Lock()
	s.hold = h
	s.mu.Unlock()
	return h.release, warning, nil
}

// lock opens a session, and takes the lock in it; not where a pooler stands between, whose
// sessions keep a lock when this one has gone.
func (h *hold) lock(ctx context.Context) (conn *pgx.Conn, pooled bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, h.s.deadline)
	defer cancel()
	conn, err = pgx.ConnectConfig(ctx, h.s.pool.Config().ConnConfig)
	if err != nil {
		return nil, false, fmt.Errorf("store %s: hold: %w", h.s.name, h.s.clean(err))
	}
	var pid uint32
	var taken bool
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid)
	if err == nil && pid != conn.PgConn().PID() {
		return conn, true, nil
	}
	if err == nil {
		err = conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtext('pinned local mode'), hashtext(current_schema()))").Scan(&taken)
	}
	if err == nil && taken {
		return conn, false, nil
	}
	closed := conn.Close(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("store %s: hold: %w", h.s.name, errors.Join(h.s.clean(err), closed))
	}
	return nil, false, &durability.InUseError{Store: h.s.name, Err: errors.New("its advisory lock is taken")}
}

// watch waits for the end of the session, and begins another.
func (h *hold) watch(ctx context.Context, conn *pgx.Conn) {
	defer close(h.done)
	for {
		for {
			if _, err := conn.WaitForNotification(ctx); err != nil {
				break
			}
		}
		h.close(conn)
		if ctx.Err() != nil {
			return
		}
		h.mu.Lock()
		h.ready = make(chan struct{})
		h.mu.Unlock()
		var err error
		conn, err = h.again(ctx)
		h.mu.Lock()
		if h.err == nil {
			h.err = err
		}
		close(h.ready)
		h.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// again takes the lock again. The server may take the session that broke for alive, as
// long as this side would.
func (h *hold) again(ctx context.Context) (*pgx.Conn, error) {
	const pause = 100 * time.Millisecond
	var taken time.Duration // how long somebody else has had the lock
	for {
		conn, _, err := h.lock(ctx)
		if err == nil {
			var number int64
			err = conn.QueryRow(ctx, "SELECT epoch FROM pinned_epoch WHERE ns = $1 AND id = $2", numberKey.Namespace, numberKey.ID).Scan(&number)
			if err == nil && number == h.number {
				return conn, nil
			}
			h.close(conn)
			if err == nil || errors.Is(err, pgx.ErrNoRows) {
				return nil, h.lost()
			}
		}
		if _, ok := errors.AsType[*durability.InUseError](err); ok {
			if taken += pause; taken > h.s.deadline {
				return nil, err
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, durability.ErrClosed
		}
	}
}

// close ends a session.
func (h *hold) close(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), h.s.deadline)
	defer cancel()
	_ = conn.Close(ctx) // the server ends what it can't be told
}

// wait waits while the lock is being taken again.
func (h *hold) wait(ctx context.Context) error {
	h.mu.Lock()
	ready := h.ready
	h.mu.Unlock()
	select {
	case <-ready:
	default:
		select {
		case <-ready:
		case <-ctx.Done():
			return fmt.Errorf("the session that holds the database has broken: %w", durability.ContextError(ctx))
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// lost ends the hold for good: another worker has the database, or has had it.
func (h *hold) lost() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = &durability.InUseError{Store: h.s.name, Err: errors.New("another worker has had it since the session of this one broke")}
	}
	return h.err
}

// id is the number of the hold, 0 for none.
func (h *hold) id() int64 {
	if h == nil {
		return 0
	}
	return h.number
}

// holder is the hold that there is, or nil.
func (s *Store) holder() *hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hold
}

// release ends the hold.
func (h *hold) release() error {
	h.cancel()
	<-h.done
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	if h.s.hold == h {
		h.s.hold = nil
	}
	return nil
}
