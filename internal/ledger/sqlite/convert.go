package sqlite

import (
	"context"
	"database/sql"

	"mcpproxy/internal/ledger"
)

// The tables of the second version: each has a row for every record. In a damaged log either may
// lack rows.
const (
	oldRows   = "SELECT seq, id, ts, kind, session, flow, request_id, parent_id FROM old_records ORDER BY seq"
	oldBodies = "SELECT seq, form, body, prev, hash, salt, arguments, response, proof FROM old_bodies ORDER BY seq"
)

// oldBody is a row of the table old_bodies.
type oldBody struct {
	seq int64
	ledger.Sealed
}

// convert moves the records of the second version unchanged into pieces, even if they are damaged,
// and counts them.
func (w *writer) convert(ctx context.Context) error {
	if err := w.moveAll(ctx); err != nil {
		return err
	}
	for _, table := range []string{"old_records", "old_bodies"} {
		if _, err := w.conn.ExecContext(ctx, "DROP TABLE "+table); err != nil {
			return err
		}
	}
	return w.recountAll(ctx)
}

func (w *writer) moveAll(ctx context.Context) error {
	rows, err := startCursor(ctx, w.conn, oldRows, func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.seq, &r.id, &r.ts, &r.kind, &r.session, &r.flow, &r.request, &r.parent)
	})
	if err != nil {
		return err
	}
	defer rows.rows.Close()
	bodies, err := startCursor(ctx, w.conn, oldBodies, func(rows *sql.Rows) (b oldBody, err error) {
		return b, rows.Scan(&b.seq, &b.Form, &b.Body, &b.Prev, &b.Hash, &b.Salt, &b.Arguments, &b.Response, &b.Proof)
	})
	if err != nil {
		return err
	}
	defer bodies.rows.Close()
	for rows.ok || bodies.ok {
		seq := rows.at.seq
		if !rows.ok || bodies.ok && bodies.at.seq < seq {
			seq = bodies.at.seq
		}
		var r *row
		var s *ledger.Sealed
		if rows.ok && rows.at.seq == seq {
			r = &rows.at
		}
		if bodies.ok && bodies.at.seq == seq {
			s = &bodies.at.Sealed
		}
		if err := w.moveTo(ctx, seq, r, s); err != nil {
			return err
		}
		if r != nil {
			err = rows.next()
		}
		if s != nil && err == nil {
			err = bodies.next()
		}
		if err != nil {
			return err
		}
	}
	if w.pack.n > 0 {
		err = w.insert(ctx)
	}
	return err
}

// cursor reads rows with one row of lookahead.
type cursor[T any] struct {
	rows *sql.Rows
	scan func(*sql.Rows) (T, error)
	at   T
	ok   bool
}

func startCursor[T any](
	ctx context.Context,
	db querier,
	query string,
	scan func(*sql.Rows) (T, error),
) (*cursor[T], error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c := &cursor[T]{rows: rows, scan: scan}
	if err := c.next(); err != nil {
		rows.Close()
		return nil, err
	}
	return c, nil
}

func (c *cursor[T]) next() (err error) {
	if c.ok = c.rows.Next(); !c.ok {
		return c.rows.Err()
	}
	c.at, err = c.scan(c.rows)
	return err
}
