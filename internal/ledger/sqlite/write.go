package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// writer is the one connection that writes. Its fields agree with the file when
// no transaction is open.
type writer struct {
	conn   *sql.Conn
	signer *ledger.Signer
	head   ledger.Checkpoint // the end of the chain
	marked ledger.Checkpoint // the last checkpoint that stays

	kinds  map[kind]int64
	scopes map[string]int64

	open []*sql.Stmt // all of these:

	addRow, addRows, addBody, addBodies *sql.Stmt

	addKind, findKind, addScope, findScope                                   *sql.Stmt
	countKind, countKinds, countScope, findBlock, setBlock, setHead, addMark *sql.Stmt
}

// maxRemembered bounds the numbers of kinds and sessions kept in memory.
const maxRemembered = 20_000

func newWriter(ctx context.Context, conn *sql.Conn, signer *ledger.Signer) (*writer, error) {
	w := &writer{conn: conn, signer: signer}
	w.forget()
	marks := func(n int) string { return "(" + strings.TrimSuffix(strings.Repeat("?, ", n), ", ") + ")" }
	all := strings.Join(kindColumns, ", ")
	// A statement that fails leaves what it has done to the transaction, which is undone
	// as a whole: so it need not be able to undo itself.
	const addRow = "INSERT OR FAIL INTO records (seq, id, ts, kind, session, flow, request_id, parent_id) VALUES "
	const addBody = "INSERT OR FAIL INTO bodies (seq, form, body, prev, hash, salt, arguments, response) VALUES "
	for _, s := range []struct {
		to    **sql.Stmt
		query string
	}{
		{&w.addRow, addRow + marks(width)},
		{&w.addRows, addRow + marks(width) + strings.Repeat(", "+marks(width), maxTogether-1)},
		{&w.addBody, addBody + marks(width)},
		{&w.addBodies, addBody + marks(width) + strings.Repeat(", "+marks(width), maxTogether-1)},
		{&w.addKind, "INSERT INTO kinds (" + all + ", records, last) VALUES (" + strings.Repeat("?, ", len(kindColumns)) + "0, 0) ON CONFLICT DO NOTHING"},
		{&w.findKind, "SELECT kind FROM kinds WHERE (" + all + ") = " + marks(len(kindColumns))},
		{&w.addScope, "INSERT INTO scopes (name, records) VALUES (?, 0) ON CONFLICT DO NOTHING"},
		{&w.findScope, "SELECT scope FROM scopes WHERE name = ?"},
		{&w.countKind, "UPDATE kinds SET records = records + ?, last = max(last, ?) WHERE kind = ?"},
		{&w.countKinds, "WITH more (n, newest, number) AS (VALUES " + strings.Repeat(marks(3)+", ", kindsTogether-1) + marks(3) +
			") UPDATE kinds SET records = records + n, last = max(last, newest) FROM more WHERE kind = number"},
		{&w.countScope, "UPDATE scopes SET records = records + ? WHERE scope = ?"},
		{&w.findBlock, "SELECT low, high, counts FROM blocks WHERE block = ?"},
		{&w.setBlock, "INSERT OR REPLACE INTO blocks (block, low, high, counts) VALUES " + marks(4)},
		{&w.setHead, "INSERT OR REPLACE INTO head (one, seq, id, hash, count, time, key, signature) VALUES (1, ?, ?, ?, ?, ?, ?, ?)"},
		{&w.addMark, "INSERT OR REPLACE INTO checkpoints (seq, reason, id, hash, count, time, key, signature) VALUES " + marks(8)},
	} {
		var err error
		if *s.to, err = conn.PrepareContext(ctx, s.query); err != nil {
			return nil, err
		}
		w.open = append(w.open, *s.to)
	}
	return w, nil
}

// close brings what is in the journal into the file, so that the file can be
// copied, and lets go of it.
func (w *writer) close() error {
	err := w.run(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	for _, s := range w.open {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, w.conn.Close())
}

// forget empties the memory of numbers, which a failed transaction may have
// made wrong.
func (w *writer) forget() { w.kinds, w.scopes = map[kind]int64{}, map[string]int64{} }

// findEnd finds the end of the chain. A head that does not agree with the records,
// or that this log's key did not sign, stays as a checkpoint: what follows must
// not cover it up. Heads of a log that was just converted have no signature.
func (w *writer) findEnd(ctx context.Context, converted bool) error {
	heads, err := readCheckpoints(ctx, w.conn, "SELECT seq, 'head', id, hash, count, time, key, signature FROM head")
	if err != nil {
		return err
	}
	last, err := w.lastRecord(ctx)
	if err != nil {
		return err
	}
	if len(heads) == 0 && last.Seq == 0 {
		return nil
	}
	head := ledger.Checkpoint{Seq: last.Seq, Hash: last.Hash, ID: last.ID, Reason: ledger.ReasonHead}
	if len(heads) > 0 {
		head = heads[0]
	}
	agrees := head.Hash == last.Hash && head.Seq == last.Seq || last.Seq == 0 && head.Count == 0
	if agrees && w.signer.Keys().Signed(head) {
		w.head, w.marked = head, head
		return nil
	}
	if !agrees || !converted {
		if err := w.keepMark(ctx, head); err != nil {
			return err
		}
	}
	if last.Seq == 0 {
		last = head // what follows still follows what is gone
		last.Count = 0
	}
	return w.end(ctx, last, time.Now())
}

// lastRecord is the newest record; one of seq 0 when there is none.
func (w *writer) lastRecord(ctx context.Context) (last ledger.Checkpoint, err error) {
	err = w.conn.QueryRowContext(ctx, `SELECT seq, hash, coalesce((SELECT id FROM records WHERE records.seq = bodies.seq), ''),
		(SELECT count(*) FROM records) FROM bodies ORDER BY seq DESC LIMIT 1`).Scan(&last.Seq, &last.Hash, &last.ID, &last.Count)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return last, err
}

// transaction runs f between BEGIN and COMMIT.
func (w *writer) transaction(ctx context.Context, f func() error) error {
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	before, marked := w.head, w.marked
	err := f()
	if err == nil {
		_, err = w.conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		w.head, w.marked = before, marked
		w.forget()
		_, _ = w.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	}
	return err
}

// end signs the new end of the chain.
func (w *writer) end(ctx context.Context, c ledger.Checkpoint, now time.Time) error {
	c.Reason = ledger.ReasonHead
	w.head = w.signer.Sign(c, now)
	c = w.head
	_, err := w.setHead.ExecContext(ctx, c.Seq, c.ID, c.Hash, c.Count, c.Time.UnixMicro(), c.Key, c.Signature)
	return err
}

// keepMark keeps a checkpoint.
func (w *writer) keepMark(ctx context.Context, c ledger.Checkpoint) error {
	_, err := w.addMark.ExecContext(ctx, c.Seq, string(c.Reason), c.ID, c.Hash, c.Count, c.Time.UnixMicro(), c.Key, c.Signature)
	return err
}

// mark keeps the present end as a checkpoint, when it has moved since the last.
func (w *writer) mark(ctx context.Context, why ledger.Reason, now time.Time) error {
	if w.head.Seq == 0 || w.head.Seq == w.marked.Seq {
		return nil
	}
	c := w.head
	c.Reason = why
	c = w.signer.Sign(c, now)
	w.marked = c
	return w.keepMark(ctx, c)
}

// Append seals and keeps records.
func (s *Store) Append(ctx context.Context, records []*mcpproxy.Record) error {
	sealed, err := ledger.PrepareAll(records)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer == nil {
		return errors.New("the activity log is not open for writing")
	}
	if len(records) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// A batch is short. What could be cancelled would have a watchman for every
	// statement, which costs as much as the statement.
	ctx = context.WithoutCancel(ctx)
	return s.writer.transaction(ctx, func() error { return s.writer.append(ctx, records, sealed, time.Now()) })
}

func (w *writer) append(ctx context.Context, records []*mcpproxy.Record, all []ledger.Sealed, now time.Time) error {
	at, sum := w.head, newTally()
	var rows, bodies []any // of the records that are written together
	for i, r := range records {
		sealed := &all[i]
		sealed.Follow(at.Hash)
		at.Seq, at.ID, at.Hash, at.Count = at.Seq+1, r.ID, sealed.Hash, at.Count+1
		line, err := w.row(ctx, at.Seq, r)
		if err != nil {
			return fmt.Errorf("record %s: %w", r.ID, err)
		}
		sum.add(line)
		rows = append(rows, line.seq, r.ID, line.ts, line.kind, line.session, line.flow, r.RequestID, r.ParentID)
		bodies = append(bodies, at.Seq, int64(sealed.Form), sealed.Body, sealed.Prev, sealed.Hash, orNull(sealed.Salt), orNull(sealed.Arguments), orNull(sealed.Response))
		if together := (i + 1) % maxTogether; together == 0 || i == len(records)-1 {
			if err := w.insert(ctx, rows, bodies); err != nil {
				return fmt.Errorf("records up to %s: %w", r.ID, err)
			}
			rows, bodies = rows[:0], bodies[:0]
		}
	}
	if err := w.count(ctx, sum); err != nil {
		return err
	}
	if err := w.end(ctx, at, now); err != nil {
		return err
	}
	if at.Seq-w.marked.Seq >= ledger.CheckpointEvery || now.Sub(w.marked.Time) >= ledger.CheckpointAfter {
		return w.mark(ctx, ledger.ReasonInterval, now)
	}
	return nil
}

// maxTogether is how many records one statement writes, and kindsTogether how many
// kinds it counts; width is the number of columns of both tables of records.
const (
	maxTogether   = 16
	kindsTogether = 32
	width         = 8
)

// insert writes rows and bodies: all at once when they are as many as a statement
// takes, else one by one.
func (w *writer) insert(ctx context.Context, rows, bodies []any) error {
	addRow, addBody, step := w.addRow, w.addBody, width
	if len(rows) == maxTogether*width {
		addRow, addBody, step = w.addRows, w.addBodies, len(rows)
	}
	for at := 0; at < len(rows); at += step {
		if _, err := addRow.ExecContext(ctx, rows[at:at+step]...); err != nil {
			return err
		}
		if _, err := addBody.ExecContext(ctx, bodies[at:at+step]...); err != nil {
			return err
		}
	}
	return nil
}

// row is the narrow row of a record.
func (w *writer) row(ctx context.Context, seq int64, r *mcpproxy.Record) (line row, err error) {
	line.seq, line.ts = seq, r.Timestamp.UnixMicro()
	if line.kind, err = w.kind(ctx, kindOf(r)); err != nil {
		return line, err
	}
	if line.session, err = w.scope(ctx, r.SessionID); err != nil {
		return line, err
	}
	line.flow, err = w.scope(ctx, r.FlowSessionID)
	return line, err
}

// orNull keeps the driver from writing an empty value for none.
func orNull(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

// kind is the number of a kind.
func (w *writer) kind(ctx context.Context, k kind) (int64, error) {
	if n, ok := w.kinds[k]; ok {
		return n, nil
	}
	args := []any{k.Type, k.Principal, k.Server, k.Tool, k.Status, k.Decision, k.Rule, k.Risk, k.FlowType, k.Sensitive, k.Detections, k.Severity}
	n, err := number(ctx, w.addKind, w.findKind, args...)
	if err == nil {
		if len(w.kinds) >= maxRemembered {
			clear(w.kinds)
		}
		w.kinds[k] = n
	}
	return n, err
}

// scope is the number of a session's name.
func (w *writer) scope(ctx context.Context, name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	if n, ok := w.scopes[name]; ok {
		return n, nil
	}
	n, err := number(ctx, w.addScope, w.findScope, name)
	if err == nil {
		if len(w.scopes) >= maxRemembered {
			clear(w.scopes)
		}
		w.scopes[name] = n
	}
	return n, err
}

// number adds what may be there already, and finds its number.
func number(ctx context.Context, add, find *sql.Stmt, args ...any) (n int64, err error) {
	if _, err = add.ExecContext(ctx, args...); err == nil {
		err = find.QueryRowContext(ctx, args...).Scan(&n)
	}
	return n, err
}

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// readCheckpoints runs a query for seq, reason, id, hash, count, time, key and signature.
func readCheckpoints(ctx context.Context, db querier, query string, args ...any) ([]ledger.Checkpoint, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []ledger.Checkpoint
	for rows.Next() {
		var c ledger.Checkpoint
		var at int64
		if err := rows.Scan(&c.Seq, &c.Reason, &c.ID, &c.Hash, &c.Count, &at, &c.Key, &c.Signature); err != nil {
			return nil, err
		}
		c.Time = time.UnixMicro(at).UTC()
		all = append(all, c)
	}
	return all, rows.Err()
}
