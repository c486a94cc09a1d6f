package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pinned-go/pinned/durability"
)

// job is what one caller has to do in a transaction. Jobs that wait share one.
type job struct {
	steps []step
	size  int           // bytes of its documents
	lead  chan struct{} // closed: the caller carries out what is queued
	done  chan struct{} // closed: it is done
}

// step is what a transaction does for one instance. One that has lost its fence has
// changed nothing.
type step struct {
	key durability.Key
	op  string
	run func(conn *sqlite.Conn) error
	err error
	// lost says that err is a FenceLost that this transaction found.
	lost bool
}

// Put implements durability.StateStore.
func (s *Store) Put(ctx context.Context, key durability.Key, epoch int64, tray durability.Tray, row durability.Row) error {
	return s.Apply(ctx, key, epoch, []durability.Op{durability.Put{Tray: tray, Row: row}})
}

// Delete implements durability.StateStore.
func (s *Store) Delete(ctx context.Context, key durability.Key, epoch int64, tray durability.Tray) error {
	return s.Apply(ctx, key, epoch, []durability.Op{durability.Delete{Tray: tray}})
}

// Apply implements durability.Batcher.
func (s *Store) Apply(ctx context.Context, key durability.Key, epoch int64, ops []durability.Op) error {
	return s.ApplyAll(ctx, []durability.Batch{{Key: key, Epoch: epoch, Ops: ops}})[0]
}

// ApplyAll implements durability.MultiBatcher. An instance is never locked by somebody
// else, and a transaction that has begun isn't stopped by the end of ctx.
func (s *Store) ApplyAll(ctx context.Context, batches []durability.Batch) []error {
	errs := make([]error, len(batches))
	end, err := s.use(ctx)
	if err != nil {
		for i, b := range batches {
			errs[i] = s.failed("apply", b.Key, err)
		}
		return errs
	}
	defer end()
	j := &job{steps: make([]step, len(batches))}
	for i, b := range batches {
		j.size += size(b.Ops)
		j.steps[i] = step{key: b.Key, op: "apply", err: check(b), run: func(conn *sqlite.Conn) error {
			if err := acquire(conn, b.Key, b.Epoch); err != nil {
				return err
			}
			for _, op := range b.Ops {
				if err := execute(conn, b.Key, op); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	s.write(ctx, j)
	for i := range errs {
		errs[i] = j.steps[i].err
	}
	return errs
}

// check finds what is refused before anything is written.
func check(b durability.Batch) error {
	if b.Epoch < 0 {
		return &durability.RejectedError{Key: b.Key, Op: "apply", Reason: fmt.Sprintf("the epoch %d is negative", b.Epoch)}
	}
	return durability.CheckOps(b.Key, b.Ops...)
}

// What a transaction takes at most, unless the first job alone is more. Callers wait for
// all of it, and the log grows by it.
const (
	mostSteps = 512
	mostBytes = 8 << 20
)

// size is how many bytes the documents of a batch have.
func size(ops []durability.Op) (n int) {
	for _, op := range ops {
		if p, ok := op.(durability.Put); ok {
			n += len(p.Row.Doc)
		}
	}
	return n
}

// write carries out a job: in the transaction of somebody who leads, or as the one who
// does, for what is queued by then. The end of ctx takes back what isn't in a transaction
// yet.
func (s *Store) write(ctx context.Context, j *job) {
	j.lead, j.done = make(chan struct{}), make(chan struct{})
	s.mu.Lock()
	s.queue = append(s.queue, j)
	if !s.leads {
		s.leads = true
		close(j.lead)
	}
	s.mu.Unlock()
	select {
	case <-j.done:
		return
	case <-j.lead:
	case <-ctx.Done():
		if s.takeBack(j) {
			j.fail(func(st *step) error { return s.failed(st.op, st.key, durability.ContextError(ctx)) })
			return
		}
		select {
		case <-j.done:
			return
		case <-j.lead:
		}
	}
	s.mu.Lock()
	jobs := s.next()
	s.mu.Unlock()

	s.transact(jobs)

	s.mu.Lock()
	if len(s.queue) > 0 {
		close(s.queue[0].lead)
	} else {
		s.leads = false
	}
	s.mu.Unlock()
	for _, j := range jobs {
		close(j.done)
	}
}

// next takes the jobs of a transaction from the queue: the leader's, which is the first,
// and what goes with it. mu must be held.
func (s *Store) next() []*job {
	n, steps, bytes := 0, 0, 0
	for _, j := range s.queue {
		steps += len(j.steps)
		bytes += j.size
		if n > 0 && (steps > mostSteps || bytes > mostBytes) {
			break
		}
		n++
	}
	jobs := slices.Clone(s.queue[:n])
	s.queue = slices.Delete(s.queue, 0, n)
	return jobs
}

// takeBack takes a job out of the queue, unless it is in a transaction or leads one.
func (s *Store) takeBack(j *job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.queue, j)
	if i < 0 {
		return false
	}
	select {
	case <-j.lead:
		return false
	default:
	}
	s.queue = slices.Delete(s.queue, i, i+1)
	return true
}

// fail gives an error to the steps that have none.
func (j *job) fail(why func(st *step) error) {
	for i := range j.steps {
		if st := &j.steps[i]; st.err == nil {
			st.err = why(st)
		}
	}
}

// transact carries out jobs in one transaction. A step that has lost its fence is left
// out. One that SQLite refuses is left out too, of a transaction that begins anew, since
// half of it may have been done.
func (s *Store) transact(jobs []*job) {
	for {
		refused, err := s.attempt(jobs)
		if refused == nil && err == nil {
			return
		}
		if !s.writer.AutocommitEnabled() {
			_ = sqlitex.Execute(s.writer, "ROLLBACK", nil) // nothing of it can be committed any more
		}
		// Whoever has lost the fence may have lost it to what is undone.
		for _, j := range jobs {
			for i := range j.steps {
				if st := &j.steps[i]; st.lost {
					st.lost, st.err = false, nil
				}
			}
		}
		if refused == nil {
			unknown, _ := errors.AsType[*commitError](err)
			for _, j := range jobs {
				j.fail(func(st *step) error {
					failed := s.failed(st.op, st.key, err)
					if unknown != nil {
						return &durability.UnknownError{Key: st.key, Op: st.op, Err: failed}
					}
					return failed
				})
			}
			return
		}
		refused.err = &durability.RejectedError{Key: refused.key, Op: refused.op, Reason: "SQLite can't hold it: " + err.Error()}
	}
}

// commitError is that of a commit that began: whether it took effect isn't known.
type commitError struct{ error }

// attempt runs a transaction. Of an error it tells whose it is, or no step, where it is
// nobody's and stops all.
func (s *Store) attempt(jobs []*job) (refused *step, err error) {
	if err := sqlitex.Execute(s.writer, "BEGIN IMMEDIATE", nil); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		for i := range j.steps {
			st := &j.steps[i]
			if st.err != nil {
				continue
			}
			err := st.run(s.writer)
			if _, st.lost = errors.AsType[*durability.FenceLost](err); st.lost {
				st.err = err
			} else if err != nil {
				if refusal(err) {
					return st, err
				}
				return nil, err
			}
		}
	}
	if err = sqlitex.Execute(s.writer, "COMMIT", nil); err != nil && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy {
		err = &commitError{err} // one that is busy hasn't begun
	}
	return nil, err
}

// refusal reports whether an error is about what was to be written, and not about the
// file.
func refusal(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultError, sqlite.ResultTooBig, sqlite.ResultConstraint, sqlite.ResultMismatch, sqlite.ResultRange:
		return true
	}
	return false
}

// acquire checks the fence of an instance, and advances its epoch.
func acquire(conn *sqlite.Conn, key durability.Key, epoch int64) error {
	stored, ok, err := storedEpoch(conn, key)
	switch {
	case err != nil:
		return err
	case stored > epoch:
		return &durability.FenceLost{Key: key, Epoch: epoch, Stored: stored}
	case ok && stored == epoch:
		return nil
	}
	return setEpoch(conn, key, epoch)
}

func setEpoch(conn *sqlite.Conn, key durability.Key, epoch int64) error {
	return sqlitex.Execute(conn, "INSERT INTO pinned_epoch (ns, id, epoch) VALUES (?, ?, ?) ON CONFLICT (ns, id) DO UPDATE SET epoch = excluded.epoch",
		&sqlitex.ExecOptions{Args: []any{key.Namespace, key.ID, epoch}})
}

func storedEpoch(conn *sqlite.Conn, key durability.Key) (epoch int64, ok bool, err error) {
	err = sqlitex.Execute(conn, "SELECT epoch FROM pinned_epoch WHERE ns = ? AND id = ?", &sqlitex.ExecOptions{
		Args: []any{key.Namespace, key.ID},
		ResultFunc: func(row *sqlite.Stmt) error {
			epoch, ok = row.ColumnInt64(0), true
			return nil
		},
	})
	return epoch, ok, err
}

const upsert = `INSERT INTO pinned_tray_index (ns, id, tray_ns, tray_id, marked, doc, env, hostname)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (ns, id, tray_ns, tray_id) DO UPDATE
SET marked = excluded.marked, doc = excluded.doc, env = excluded.env, hostname = excluded.hostname`

// execute carries out one operation, which check has let pass.
func execute(conn *sqlite.Conn, key durability.Key, op durability.Op) error {
	switch op := op.(type) {
	case durability.Put:
		return sqlitex.Execute(conn, upsert, &sqlitex.ExecOptions{Args: []any{
			key.Namespace, key.ID, op.Tray.Namespace, op.Tray.ID, op.Row.Marked, string(op.Row.Doc),
			cmp.Or(op.Row.Env, "*"), cmp.Or(op.Row.Hostname, "*"),
		}})
	case durability.Delete:
		return sqlitex.Execute(conn, "DELETE FROM pinned_tray_index WHERE ns = ? AND id = ? AND tray_ns = ? AND tray_id = ?",
			&sqlitex.ExecOptions{Args: []any{key.Namespace, key.ID, op.Tray.Namespace, op.Tray.ID}})
	}
	return fmt.Errorf("the operation %s isn't known", op.Op())
}

// Adopt implements durability.StateStore.
func (s *Store) Adopt(ctx context.Context, key durability.Key, from, to int64) error {
	end, err := s.use(ctx)
	if err != nil {
		return s.failed("adopt", key, err)
	}
	defer end()
	if err := durability.CheckOps(key); err != nil {
		return err
	}
	if from < 0 || to <= from {
		return &durability.RejectedError{Key: key, Op: "adopt", Reason: fmt.Sprintf("no epoch is adopted from %d to %d", from, to)}
	}
	j := &job{steps: []step{{key: key, op: "adopt", run: func(conn *sqlite.Conn) error {
		stored, _, err := storedEpoch(conn, key)
		if err != nil {
			return err
		}
		if stored != from {
			return &durability.FenceLost{Key: key, Epoch: from, Stored: stored}
		}
		return setEpoch(conn, key, to)
	}}}}
	s.write(ctx, j)
	return j.steps[0].err
}
