package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pinned-go/pinned/durability"
)

// errBehind says that a read has to advance the stored epoch, which takes a write.
var errBehind = errors.New("the stored epoch is behind")

// fenced runs a read of an instance. Most have the epoch that is stored, and write
// nothing.
func (s *Store) fenced(ctx context.Context, op string, key durability.Key, epoch int64, read func(conn *sqlite.Conn) error) error {
	end, err := s.use(ctx)
	if err != nil {
		return s.failed(op, key, err)
	}
	defer end()
	if epoch < 0 {
		return &durability.RejectedError{Key: key, Op: op, Reason: fmt.Sprintf("the epoch %d is negative", epoch)}
	}
	if err := durability.CheckOps(key); err != nil {
		return err
	}
	err = s.reading(ctx, func(conn *sqlite.Conn) error {
		stored, ok, err := storedEpoch(conn, key)
		switch {
		case err != nil:
			return err
		case stored > epoch:
			return &durability.FenceLost{Key: key, Epoch: epoch, Stored: stored}
		case !ok || stored < epoch:
			return errBehind
		}
		return read(conn)
	})
	if errors.Is(err, errBehind) {
		j := &job{steps: []step{{key: key, op: op, run: func(conn *sqlite.Conn) error {
			if err := acquire(conn, key, epoch); err != nil {
				return err
			}
			return read(conn)
		}}}}
		s.write(ctx, j)
		err = j.steps[0].err
		if u, ok := errors.AsType[*durability.UnknownError](err); ok {
			err = u.Err // whether the epoch was advanced is no matter to who has read nothing
		}
		return err
	}
	if _, lost := errors.AsType[*durability.FenceLost](err); err != nil && !lost {
		return s.failed(op, key, err)
	}
	return err
}

// reading runs f on a connection for reads, in one view of the file.
func (s *Store) reading(ctx context.Context, f func(conn *sqlite.Conn) error) (err error) {
	var conn *sqlite.Conn
	select {
	case conn = <-s.readers:
	case <-ctx.Done():
		return durability.ContextError(ctx)
	}
	defer func() { s.readers <- conn }()
	if err := sqlitex.Execute(conn, "BEGIN", nil); err != nil {
		return err
	}
	defer func() {
		if end := sqlitex.Execute(conn, "ROLLBACK", nil); end != nil {
			err = errors.Join(err, end)
		}
	}()
	return f(conn)
}

const columns = "SELECT tray_ns, tray_id, marked, doc, env, hostname FROM pinned_tray_index WHERE ns = ? AND id = ?"

// entry reads a row of columns.
func entry(row *sqlite.Stmt) durability.Entry {
	return durability.Entry{
		Tray: durability.Tray{Namespace: row.ColumnText(0), ID: row.ColumnText(1)},
		Row: durability.Row{
			Marked: row.ColumnBool(2), Doc: json.RawMessage(row.ColumnText(3)), Env: row.ColumnText(4), Hostname: row.ColumnText(5),
		},
	}
}

// Get implements durability.StateStore.
func (s *Store) Get(ctx context.Context, key durability.Key, epoch int64, tray durability.Tray) (row durability.Row, ok bool, err error) {
	err = s.fenced(ctx, "get", key, epoch, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, columns+" AND tray_ns = ? AND tray_id = ?", &sqlitex.ExecOptions{
			Args: []any{key.Namespace, key.ID, tray.Namespace, tray.ID},
			ResultFunc: func(r *sqlite.Stmt) error {
				row, ok = entry(r).Row, true
				return nil
			},
		})
	})
	return row, ok, err
}

// List implements durability.StateStore.
func (s *Store) List(ctx context.Context, key durability.Key, epoch int64, f durability.Filter) (entries []durability.Entry, err error) {
	query, args := selection(key, f)
	err = s.fenced(ctx, "list", key, epoch, func(conn *sqlite.Conn) error {
		entries = nil
		return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(r *sqlite.Stmt) error {
			entries = append(entries, entry(r))
			return nil
		}})
	})
	return entries, err
}

// selection is the query of a filter.
func selection(key durability.Key, f durability.Filter) (query string, args []any) {
	var q strings.Builder
	q.WriteString(columns)
	args = []any{key.Namespace, key.ID}
	if f.Namespaces != nil {
		q.WriteString(" AND (tray_ns IN (" + strings.TrimSuffix(strings.Repeat("?,", len(f.Namespaces)), ",") + ")")
		for _, ns := range f.Namespaces {
			args = append(args, ns)
		}
		if f.OrMarked {
			q.WriteString(" OR marked")
		}
		q.WriteString(")")
	}
	if f.Marked != nil {
		q.WriteString(" AND marked = ?")
		args = append(args, *f.Marked)
	}
	if f.Prefix != "" {
		q.WriteString(" AND tray_id >= ?")
		args = append(args, f.Prefix)
		if above, ok := after(f.Prefix); ok {
			q.WriteString(" AND tray_id < ?")
			args = append(args, above)
		}
	}
	if f.After != "" {
		q.WriteString(" AND tray_id > ?")
		args = append(args, f.After)
	}
	q.WriteString(" ORDER BY tray_ns, tray_id")
	if f.Limit > 0 {
		q.WriteString(" LIMIT ?")
		args = append(args, f.Limit)
	}
	return q.String(), args
}

// after is the least text that is above all with a prefix, bytewise. It need not be
// UTF-8.
func after(prefix string) (string, bool) {
	b := []byte(prefix)
	for len(b) > 0 && b[len(b)-1] == 0xff {
		b = b[:len(b)-1]
	}
	if len(b) == 0 {
		return "", false
	}
	b[len(b)-1]++
	return string(b), true
}

// unfenced runs a read that concerns no single instance.
func (s *Store) unfenced(ctx context.Context, op string, f func(conn *sqlite.Conn) error) error {
	end, err := s.use(ctx)
	if err == nil {
		defer end()
		err = s.reading(ctx, f)
	}
	if err != nil {
		return fmt.Errorf("store %s: %s: %w", s.path, op, err)
	}
	return nil
}

// MarkedRows implements durability.Sweepable.
func (s *Store) MarkedRows(ctx context.Context, after durability.Place, limit int) (rows []durability.Marked, err error) {
	err = s.unfenced(ctx, "marked rows", func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `SELECT ns, id, tray_ns, tray_id, env, hostname FROM pinned_tray_index
WHERE marked AND (ns, id, tray_ns, tray_id) > (?, ?, ?, ?) ORDER BY ns, id, tray_ns, tray_id LIMIT ?`, &sqlitex.ExecOptions{
			Args: []any{after.Key.Namespace, after.Key.ID, after.Tray.Namespace, after.Tray.ID, max(limit, 0)},
			ResultFunc: func(r *sqlite.Stmt) error {
				rows = append(rows, durability.Marked{
					Place: durability.Place{
						Key:  durability.Key{Namespace: r.ColumnText(0), ID: r.ColumnText(1)},
						Tray: durability.Tray{Namespace: r.ColumnText(2), ID: r.ColumnText(3)},
					},
					Env: r.ColumnText(4), Hostname: r.ColumnText(5),
				})
				return nil
			},
		})
	})
	return rows, err
}

// DueAlarms implements durability.Sweepable.
func (s *Store) DueAlarms(ctx context.Context, until time.Time, after durability.Due, limit int) (due []durability.Due, err error) {
	begin := int64(-1 << 63)
	if after != (durability.Due{}) {
		begin = after.At.UnixMilli()
	}
	err = s.unfenced(ctx, "due alarms", func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `SELECT ns, id, json_extract(doc, '$.due'), env, hostname FROM pinned_tray_index
WHERE tray_ns = 'pinned' AND tray_id = 'alarm' AND json_type(doc, '$.due') = 'integer'
AND json_extract(doc, '$.due') <= ? AND (json_extract(doc, '$.due'), ns, id) > (?, ?, ?)
ORDER BY json_extract(doc, '$.due'), ns, id LIMIT ?`, &sqlitex.ExecOptions{
			Args: []any{until.UnixMilli(), begin, after.Key.Namespace, after.Key.ID, max(limit, 0)},
			ResultFunc: func(r *sqlite.Stmt) error {
				due = append(due, durability.Due{
					Key: durability.Key{Namespace: r.ColumnText(0), ID: r.ColumnText(1)},
					At:  time.UnixMilli(r.ColumnInt64(2)), Env: r.ColumnText(3), Hostname: r.ColumnText(4),
				})
				return nil
			},
		})
	})
	return due, err
}

// StoredEpoch implements durability.Sweepable.
func (s *Store) StoredEpoch(ctx context.Context, key durability.Key) (epoch int64, err error) {
	err = s.unfenced(ctx, "stored epoch", func(conn *sqlite.Conn) error {
		epoch, _, err = storedEpoch(conn, key)
		return err
	})
	return epoch, err
}
