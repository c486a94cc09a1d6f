package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pinned-go/pinned/durability"
)

// The statements of a write. The first ones lock the epochs of its instances and note, for
// the rest of the transaction, which of them may be written: the statement that writes
// sees what is there once the locks are held.
const (
	makeEpochs = `INSERT INTO pinned_epoch (ns, id, epoch)
SELECT ns, id, 0 FROM unnest($1::text[], $2::text[]) AS i (ns, id) ON CONFLICT (ns, id) DO NOTHING`

	lockEpochs = `WITH input AS (SELECT ns, id, epoch, n FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS i (ns, id, epoch, n)),
held AS (SELECT e.ns, e.id, e.epoch FROM pinned_epoch e JOIN input i ON i.ns = e.ns AND i.id = e.id FOR UPDATE OF e`

	noteHeld = `)
SELECT coalesce(array_agg(i.n ORDER BY i.n), '{}'), coalesce(array_agg(h.epoch ORDER BY i.n), '{}'),
	set_config('pinned.held', coalesce(string_agg(i.n::text, ',') FILTER (WHERE h.epoch <= i.epoch AND ` + isHolder + `), ''), true), ` + isHolder + `
FROM input i JOIN held h ON h.ns = i.ns AND h.id = i.id`

	// isHolder is true unless this worker has held the database, and another does now.
	isHolder = `($4::bigint = 0 OR $4 = (SELECT epoch FROM pinned_epoch WHERE ns = 'pinned' AND id = 'local mode'))`

	writeRows = `WITH input AS (SELECT ns, id, epoch, n FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS i (ns, id, epoch, n)
	WHERE n = ANY (string_to_array(current_setting('pinned.held'), ',')::bigint[])),
newer AS (UPDATE pinned_epoch e SET epoch = i.epoch FROM input i WHERE e.ns = i.ns AND e.id = i.id AND e.epoch < i.epoch),
gone AS (DELETE FROM pinned_tray_index t USING unnest($4::bigint[], $5::text[], $6::text[]) AS d (n, tray_ns, tray_id) JOIN input i USING (n)
	WHERE t.ns = i.ns AND t.id = i.id AND t.tray_ns = d.tray_ns AND t.tray_id = d.tray_id)
INSERT INTO pinned_tray_index AS t (ns, id, tray_ns, tray_id, marked, doc, env, hostname)
SELECT i.ns, i.id, p.tray_ns, p.tray_id, p.marked, p.doc::jsonb, p.env, p.hostname
FROM unnest($7::bigint[], $8::text[], $9::text[], $10::boolean[], $11::text[], $12::text[], $13::text[])
	AS p (n, tray_ns, tray_id, marked, doc, env, hostname) JOIN input i USING (n)
ON CONFLICT (ns, id, tray_ns, tray_id) DO UPDATE
SET marked = excluded.marked, doc = excluded.doc, env = excluded.env, hostname = excluded.hostname`
)

// Put implements durability.StateStore.
func (s *Store) Put(ctx context.Context, key durability.Key, epoch int64, tray durability.Tray, row durability.Row) error {
	return s.Apply(ctx, key, epoch, []durability.Op{durability.Put{Tray: tray, Row: row}})
}

// Delete implements durability.StateStore.
func (s *Store) Delete(ctx context.Context, key durability.Key, epoch int64, tray durability.Tray) error {
	return s.Apply(ctx, key, epoch, []durability.Op{durability.Delete{Tray: tray}})
}

// Apply implements durability.Batcher. A lock is waited for, 25 s at most.
func (s *Store) Apply(ctx context.Context, key durability.Key, epoch int64, ops []durability.Op) error {
	b := durability.Batch{Key: key, Epoch: epoch, Ops: ops}
	return s.write(ctx, []durability.Batch{b}, true)[0]
}

// ApplyAll implements durability.MultiBatcher.
func (s *Store) ApplyAll(ctx context.Context, batches []durability.Batch) []error {
	return s.write(ctx, batches, false)
}

// columns are the arguments of the statements.
type columns struct {
	ns, id []string
	epoch  []int64

	goneN         []int64
	goneNS, goneT []string

	putN             []int64
	putNS, putT, doc []string
	marked           []bool
	env, hostname    []string
	index            []int // of the batch by n-1
}

// write carries out batches in one transaction. alone waits for locks, and makes an epoch
// that isn't there.
func (s *Store) write(ctx context.Context, batches []durability.Batch, alone bool) []error {
	errs := make([]error, len(batches))
	all := func(err error) []error {
		for i := range errs {
			if errs[i] == nil {
				errs[i] = err
			}
		}
		return errs
	}
	inner, end, err := s.use(ctx)
	if err != nil {
		for i, b := range batches {
			errs[i] = s.failed("apply", b.Key, err)
		}
		return errs
	}
	defer end()
	var c columns
	for i, b := range batches {
		if errs[i] = check(b); errs[i] == nil {
			c.add(i, b)
		}
	}
	if len(c.ns) == 0 {
		return errs
	}
	first := batches[c.index[0]].Key
	if err := s.prepare(inner); err != nil {
		return all(s.failed("apply", first, err))
	}
	stored, err := s.transact(inner, first, &c, alone)
	if err != nil {
		for i, b := range batches {
			if errs[i] == nil {
				errs[i] = s.verdict("apply", b.Key, err, alone || len(c.ns) == 1)
			}
		}
		return errs
	}
	for n, i := range c.index {
		epoch, held := stored[int64(n+1)]
		switch {
		case !held:
			errs[i] = s.failed("apply", batches[i].Key, durability.ErrLocked)
		case epoch > batches[i].Epoch:
			errs[i] = &durability.FenceLost{Key: batches[i].Key, Epoch: batches[i].Epoch, Stored: epoch}
		}
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

// add appends a batch. Of several operations on one row the last counts, since the
// statement carries out each row once.
func (c *columns) add(i int, b durability.Batch) {
	n := int64(len(c.ns) + 1)
	c.ns, c.id, c.epoch = append(c.ns, b.Key.Namespace), append(c.id, b.Key.ID), append(c.epoch, b.Epoch)
	c.index = append(c.index, i)
	last := map[durability.Tray]durability.Op{}
	var order []durability.Tray
	for _, op := range b.Ops {
		var tray durability.Tray
		switch op := op.(type) {
		case durability.Put:
			tray = op.Tray
		case durability.Delete:
			tray = op.Tray
		}
		if last[tray] == nil {
			order = append(order, tray)
		}
		last[tray] = op
	}
	for _, tray := range order {
		put, ok := last[tray].(durability.Put)
		if !ok {
			c.goneN, c.goneNS, c.goneT = append(c.goneN, n), append(c.goneNS, tray.Namespace), append(c.goneT, tray.ID)
			continue
		}
		c.putN, c.putNS, c.putT = append(c.putN, n), append(c.putNS, tray.Namespace), append(c.putT, tray.ID)
		c.marked, c.doc = append(c.marked, put.Row.Marked), append(c.doc, string(put.Row.Doc))
		c.env, c.hostname = append(c.env, cmp.Or(put.Row.Env, "*")), append(c.hostname, cmp.Or(put.Row.Hostname, "*"))
	}
}

// transact sends the pipeline of a write, and tells the stored epochs of those whose locks
// it got, by their places from 1. A pipeline that surely had no effect, since its
// connection was dead or the server chose it as the victim of a deadlock, is sent again.
func (s *Store) transact(ctx context.Context, key durability.Key, c *columns, alone bool) (stored map[int64]int64, err error) {
	for range attempts {
		if stored, err = s.pipeline(ctx, key, c, alone); err == nil || !again(err) || ctx.Err() != nil {
			break
		}
	}
	return stored, err
}

// attempts is how often what surely had no effect is sent.
const attempts = 3

func (s *Store) pipeline(ctx context.Context, key durability.Key, c *columns, alone bool) (map[int64]int64, error) {
	b := s.beginWrite(key)
	lock := lockEpochs
	if alone {
		b.Queue(makeEpochs, c.ns, c.id)
	} else {
		lock += " SKIP LOCKED"
	}
	stored := map[int64]int64{}
	held := s.holder()
	b.Queue(lock+noteHeld, c.ns, c.id, c.epoch, held.id()).QueryRow(func(row pgx.Row) error {
		var places, epochs []int64
		var noted string
		var holder bool
		if err := row.Scan(&places, &epochs, &noted, &holder); err != nil {
			return err
		}
		if !holder {
			return held.lost()
		}
		for i, n := range places {
			stored[n] = epochs[i]
		}
		return nil
	})
	b.Queue(writeRows, c.ns, c.id, c.epoch, c.goneN, c.goneNS, c.goneT,
		c.putN, c.putNS, c.putT, c.marked, c.doc, c.env, c.hostname)
	return stored, s.pool.SendBatch(ctx, b).Close()
}

// again reports whether something surely had no effect, and may do better.
func again(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch e.Code {
		case "40001", "40P01", "57P01", "57P02", "57P03":
			return true
		}
		return false
	}
	return pgconn.SafeToRetry(err)
}

// verdict says what an error of the server, or of the connection, means for a write. alone
// says that it concerns no other instance.
func (s *Store) verdict(op string, key durability.Key, err error, alone bool) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		// The server told of it before it committed.
		if alone && (e.Code[:2] == "22" || e.Code[:2] == "54") {
			return &durability.RejectedError{Key: key, Op: op, Reason: "PostgreSQL can't hold it: " + e.Message}
		}
		return s.failed(op, key, err)
	}
	_, usurped := errors.AsType[*durability.InUseError](err)
	if usurped || pgconn.SafeToRetry(err) {
		return s.failed(op, key, err)
	}
	return &durability.UnknownError{Key: key, Op: op, Err: s.failed(op, key, err)}
}

// Adopt implements durability.StateStore.
func (s *Store) Adopt(ctx context.Context, key durability.Key, from, to int64) error {
	inner, end, err := s.use(ctx)
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
	if err := s.prepare(inner); err != nil {
		return s.failed("adopt", key, err)
	}
	var moved int64
	for range attempts {
		b := s.beginWrite(key)
		if from == 0 {
			b.Queue(makeEpochs, []string{key.Namespace}, []string{key.ID})
		}
		b.Queue("UPDATE pinned_epoch SET epoch = $5 WHERE ns = $1 AND id = $2 AND epoch = $3 AND "+isHolder, key.Namespace, key.ID, from, s.holder().id(), to).
			Exec(func(tag pgconn.CommandTag) error {
				moved = tag.RowsAffected()
				return nil
			})
		if err = s.pool.SendBatch(inner, b).Close(); err == nil || !again(err) || inner.Err() != nil {
			break
		}
	}
	switch {
	case err != nil:
		return s.verdict("adopt", key, err, true)
	case moved == 0:
		return &durability.FenceLost{Key: key, Epoch: from}
	}
	return nil
}
