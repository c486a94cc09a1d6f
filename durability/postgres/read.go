package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pinned-go/pinned/durability"
)

// errBehind says that a read has to advance the stored epoch, which takes a write.
var errBehind = errors.New("the stored epoch is behind")

// rows runs a fenced read: one statement that sees the epoch and the rows together. Where
// the epoch has to be advanced, that is done first, and the read is done again.
func (s *Store) rows(ctx context.Context, op string, key durability.Key, epoch int64, condition string, args []any) (entries []durability.Entry, err error) {
	inner, end, err := s.use(ctx)
	if err != nil {
		return nil, s.failed(op, key, err)
	}
	defer end()
	if epoch < 0 {
		return nil, &durability.RejectedError{Key: key, Op: op, Reason: fmt.Sprintf("the epoch %d is negative", epoch)}
	}
	if err := durability.CheckOps(key); err != nil {
		return nil, err
	}
	if err := s.prepare(inner); err != nil {
		return nil, s.failed(op, key, err)
	}
	// The end of ctx stops a read, which has no effect that must be known.
	reading, cancel := context.WithCancelCause(inner)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	for range attempts {
		entries, err = s.look(reading, key, epoch, condition, args)
		if errors.Is(err, errBehind) {
			if err = s.acquire(reading, key, epoch); err == nil {
				continue
			}
		}
		if err == nil || !again(err) || reading.Err() != nil {
			break
		}
	}
	if _, lost := errors.AsType[*durability.FenceLost](err); lost || err == nil {
		return entries, err
	}
	if ctx.Err() != nil {
		err = errors.Join(durability.ContextError(ctx), err)
	}
	return nil, s.failed(op, key, err)
}

// look reads the epoch of an instance, and its rows, where the epoch is the caller's.
func (s *Store) look(ctx context.Context, key durability.Key, epoch int64, condition string, args []any) (entries []durability.Entry, err error) {
	b := s.begin(key)
	b.Queue(`SELECT e.epoch, t.tray_ns, t.tray_id, t.marked, t.doc::text, t.env, t.hostname
FROM (SELECT 1) AS one
LEFT JOIN pinned_epoch e ON e.ns = $1 AND e.id = $2
LEFT JOIN LATERAL (SELECT tray_ns, tray_id, marked, doc, env, hostname FROM pinned_tray_index WHERE ns = $1 AND id = $2 AND e.epoch = $3 `+condition+`) AS t ON true
ORDER BY t.tray_ns COLLATE "C", t.tray_id COLLATE "C"`, append([]any{key.Namespace, key.ID, epoch}, args...)...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var stored *int64
			var ns, id, doc, env, hostname *string
			var marked *bool
			if err := rows.Scan(&stored, &ns, &id, &marked, &doc, &env, &hostname); err != nil {
				return err
			}
			switch {
			case stored == nil || *stored < epoch:
				return errBehind
			case *stored > epoch:
				return &durability.FenceLost{Key: key, Epoch: epoch, Stored: *stored}
			case ns != nil:
				entries = append(entries, durability.Entry{
					Tray: durability.Tray{Namespace: *ns, ID: *id},
					Row:  durability.Row{Marked: *marked, Doc: json.RawMessage(*doc), Env: *env, Hostname: *hostname},
				})
			}
		}
		return rows.Err()
	})
	return entries, s.pool.SendBatch(ctx, b).Close()
}

// acquire advances the stored epoch of an instance.
func (s *Store) acquire(ctx context.Context, key durability.Key, epoch int64) error {
	var c columns
	c.add(0, durability.Batch{Key: key, Epoch: epoch})
	stored, err := s.transact(ctx, key, &c, true)
	if err != nil {
		return err
	}
	if stored[1] > epoch {
		return &durability.FenceLost{Key: key, Epoch: epoch, Stored: stored[1]}
	}
	return nil
}

// Get implements durability.StateStore.
func (s *Store) Get(ctx context.Context, key durability.Key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
	entries, err := s.rows(ctx, "get", key, epoch, "AND tray_ns = $4 AND tray_id = $5", []any{tray.Namespace, tray.ID})
	if err != nil || len(entries) == 0 {
		return durability.Row{}, false, err
	}
	return entries[0].Row, true, nil
}

// List implements durability.StateStore.
func (s *Store) List(ctx context.Context, key durability.Key, epoch int64, f durability.Filter) ([]durability.Entry, error) {
	var q strings.Builder
	var args []any
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args)+3)
	}
	if f.Namespaces != nil {
		q.WriteString(" AND (tray_ns = ANY (" + arg(f.Namespaces) + "::text[])")
		if f.OrMarked {
			q.WriteString(" OR marked")
		}
		q.WriteString(")")
	}
	if f.Marked != nil {
		q.WriteString(" AND marked = " + arg(*f.Marked))
	}
	if f.Prefix != "" {
		q.WriteString(` AND tray_id COLLATE "C" >= ` + arg(f.Prefix) + ` AND starts_with(tray_id, ` + arg(f.Prefix) + `)`)
		if above, ok := above(f.Prefix); ok {
			q.WriteString(` AND tray_id COLLATE "C" < ` + arg(above))
		}
	}
	if f.After != "" {
		q.WriteString(` AND tray_id COLLATE "C" > ` + arg(f.After))
	}
	if f.Limit > 0 {
		q.WriteString(` ORDER BY tray_ns COLLATE "C", tray_id COLLATE "C" LIMIT ` + arg(f.Limit))
	}
	return s.rows(ctx, "list", key, epoch, q.String(), args)
}

// above is a text that is above all with a prefix, bytewise, in UTF-8.
func above(prefix string) (string, bool) {
	runes := []rune(prefix)
	for i, r := range slices.Backward(runes) {
		if r < 0x10ffff && r != 0xd7ff {
			return string(append(runes[:i:i], r+1)), true
		}
	}
	return "", false
}

// unfenced runs a read that concerns no single instance.
func (s *Store) unfenced(ctx context.Context, op string, query func() string, args []any, scan func(rows pgx.Rows) error) error {
	inner, end, err := s.use(ctx)
	if err != nil {
		return fmt.Errorf("store %s: %s: %w", s.name, op, err)
	}
	defer end()
	reading, cancel := context.WithCancelCause(inner)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	err = s.prepare(reading)
	for n := 0; err == nil || n > 0 && n < attempts && again(err) && reading.Err() == nil; n++ {
		b := s.begin(durability.Key{})
		b.Queue(query(), args...).Query(scan)
		if err = s.pool.SendBatch(reading, b).Close(); err == nil {
			return nil
		}
	}
	if ctx.Err() != nil {
		err = errors.Join(durability.ContextError(ctx), err)
	}
	return fmt.Errorf("store %s: %s: %w", s.name, op, s.clean(err))
}

// text is a query that is the same in every database.
func text(query string) func() string { return func() string { return query } }

// MarkedRows implements durability.Sweepable.
func (s *Store) MarkedRows(ctx context.Context, after durability.Place, limit int) (all []durability.Marked, err error) {
	err = s.unfenced(ctx, "marked rows", text(`SELECT ns, id, tray_ns, tray_id, env, hostname FROM pinned_tray_index
WHERE marked AND (ns COLLATE "C", id COLLATE "C", tray_ns COLLATE "C", tray_id COLLATE "C") > ($1, $2, $3, $4)
ORDER BY ns COLLATE "C", id COLLATE "C", tray_ns COLLATE "C", tray_id COLLATE "C" LIMIT $5`),
		[]any{after.Key.Namespace, after.Key.ID, after.Tray.Namespace, after.Tray.ID, max(limit, 0)}, func(rows pgx.Rows) error {
			all = nil
			for rows.Next() {
				var m durability.Marked
				if err := rows.Scan(&m.Key.Namespace, &m.Key.ID, &m.Tray.Namespace, &m.Tray.ID, &m.Env, &m.Hostname); err != nil {
					return err
				}
				all = append(all, m)
			}
			return rows.Err()
		})
	return all, err
}

// DueAlarms implements durability.Sweepable.
func (s *Store) DueAlarms(ctx context.Context, until time.Time, after durability.Due, limit int) (all []durability.Due, err error) {
	begin := int64(-1 << 62)
	if after != (durability.Due{}) {
		begin = after.At.UnixMilli()
	}
	err = s.unfenced(ctx, "due alarms", func() string {
		return strings.ReplaceAll(`SELECT ns, id, DUE::bigint, env, hostname FROM pinned_tray_index
WHERE tray_ns = 'pinned' AND tray_id = 'alarm' AND DUE = trunc(DUE) AND DUE BETWEEN $1::bigint AND $2::bigint
AND (DUE, ns COLLATE "C", id COLLATE "C") > ($1::bigint, $3, $4)
ORDER BY DUE, ns COLLATE "C", id COLLATE "C" LIMIT $5`, "DUE", s.dueExpression())
	},
		[]any{begin, min(until.UnixMilli(), 1<<62), after.Key.Namespace, after.Key.ID, max(limit, 0)}, func(rows pgx.Rows) error {
			all = nil
			for rows.Next() {
				var d durability.Due
				var ms int64
				if err := rows.Scan(&d.Key.Namespace, &d.Key.ID, &ms, &d.Env, &d.Hostname); err != nil {
					return err
				}
				d.At = time.UnixMilli(ms)
				all = append(all, d)
			}
			return rows.Err()
		})
	return all, err
}

// StoredEpoch implements durability.Sweepable.
func (s *Store) StoredEpoch(ctx context.Context, key durability.Key) (epoch int64, err error) {
	err = s.unfenced(ctx, "stored epoch", text("SELECT epoch FROM pinned_epoch WHERE ns = $1 AND id = $2"), []any{key.Namespace, key.ID},
		func(rows pgx.Rows) error {
			for rows.Next() {
				if err := rows.Scan(&epoch); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	return epoch, err
}
