package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// writer is the only connection that writes. Its fields agree with the file when no transaction is
// open.
type writer struct {
	conn   *sql.Conn
	signer *ledger.Signer
	head   ledger.Checkpoint // end of the chain
	marked ledger.Checkpoint // last permanent checkpoint

	kinds   map[recordKind]int64
	there   int64 // upper bound of the kinds in the file; 0 if not yet read
	scopes  map[string]int64
	filling map[int64]*block // blocks being filled, by number
	ids     *ids             // nil until needed
	pack    packer

	open []*sql.Stmt // all statements:

	addPiece, setPiece, readPieces, dropPieces *sql.Stmt
	addKind, findKind, addScope, findScope     *sql.Stmt
	countKind, countKinds, countScope          *sql.Stmt
	setBlock, setSegment, setTerms, addMark    *sql.Stmt
	readHead, setHead                          *sql.Stmt
}

// maxRemembered limits the numbers of kinds and sessions that are cached.
const maxRemembered = 20_000

// kindsTogether is how many kinds one statement counts.
const kindsTogether = 32

func newWriter(ctx context.Context, conn *sql.Conn, signer *ledger.Signer) (*writer, error) {
	w := &writer{conn: conn, signer: signer}
	w.forget()
	marks := func(n int) string { return "(" + strings.TrimSuffix(strings.Repeat("?, ", n), ", ") + ")" }
	all := strings.Join(kindColumns, ", ")
	for _, s := range []struct {
		to    **sql.Stmt
		query string
	}{
		// OR FAIL: a failed statement need not undo its own changes, because the whole transaction
		// is rolled back.
		{&w.addPiece, "INSERT OR FAIL INTO pieces (first, prev, rows, bodies, beside) VALUES " + marks(5)},
		{&w.setPiece, "UPDATE pieces SET bodies = ?2, beside = ?3 WHERE first = ?1"},
		{&w.readPieces, "SELECT first, prev, rows, bodies, beside FROM pieces WHERE first >= ? AND first < ? ORDER BY first"},
		{&w.dropPieces, "DELETE FROM pieces WHERE first >= ? AND first < ?"},
		{&w.addKind, "INSERT INTO kinds (" + all + ", records, last) VALUES (" + strings.Repeat("?, ", len(kindColumns)) + "0, 0) ON CONFLICT DO NOTHING"},
		{&w.findKind, "SELECT kind FROM kinds WHERE (" + all + ") = " + marks(len(kindColumns))},
		{&w.addScope, "INSERT INTO scopes (name, records) VALUES (?, 0) ON CONFLICT DO NOTHING"},
		{&w.findScope, "SELECT scope FROM scopes WHERE name = ?"},
		{&w.countKind, "UPDATE kinds SET records = records + ?, last = max(last, ?) WHERE kind = ?"},
		{&w.countKinds, "WITH more (n, newest, number) AS (VALUES " + strings.Repeat(marks(3)+", ", kindsTogether-1) + marks(3) +
			") UPDATE kinds SET records = records + n, last = max(last, newest) FROM more WHERE kind = number"},
		{&w.countScope, "UPDATE scopes SET records = records + ? WHERE scope = ?"},
		{&w.setBlock, "INSERT OR REPLACE INTO blocks (block, low, high, high_id, counts, terms) VALUES " + marks(6)},
		{&w.setSegment, "INSERT OR REPLACE INTO segments (segment, low, high, high_id, counts) VALUES " + marks(5)},
		{&w.setTerms, "INSERT OR REPLACE INTO terms (part, entries) VALUES " + marks(2)},
		{&w.readHead, "SELECT (SELECT signature FROM head)"},
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

// close copies the journal into the file, so that the file can be copied, and closes the
// connection.
func (w *writer) close() error {
	err := w.run(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	for _, s := range w.open {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, w.conn.Close())
}

// forget clears the cache of the file's content, which may be wrong after a failed transaction.
func (w *writer) forget() {
	w.kinds = map[recordKind]int64{}
	w.scopes = map[string]int64{}
	w.filling = map[int64]*block{}
	w.ids = nil
	w.there = 0
	w.pack.clear()
}

// findEnd finds the end of the chain. A head that disagrees with the records, or that this log's
// key did not sign, is kept as a checkpoint, so that later writes do not hide the problem. Heads of
// a log that was just converted have no signature.
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
	head := ledger.Checkpoint{
		Seq:    last.Seq,
		Hash:   last.Hash,
		ID:     last.ID,
		Reason: ledger.ReasonHead,
	}
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
		last = head // the next record follows the head, although its record is missing
	}
	if last.Count, err = w.records(ctx); err != nil {
		return err
	}
	return w.end(ctx, last, time.Now())
}

// lastRecord returns the newest record, or one with seq 0. Its Count is not set.
func (w *writer) lastRecord(ctx context.Context) (last ledger.Checkpoint, err error) {
	var p piece
	err = w.conn.QueryRowContext(ctx, "SELECT first, rows, bodies FROM pieces ORDER BY first DESC LIMIT 1").
		Scan(&p.first, &p.rows, &p.bodies)
	if errors.Is(err, sql.ErrNoRows) {
		return last, nil
	}
	if err != nil {
		return last, err
	}
	rows, _ := parts(string(p.rows))
	bodies, _ := parts(p.bodies)
	last.Seq = p.first + int64(max(len(rows), len(bodies), 1)) - 1
	if at := last.Seq - p.first; at < int64(len(bodies)) {
		body, _ := readBody(bodies[at])
		last.Hash = body.Hash
		if at < int64(len(rows)) {
			r, _ := readRow(last.Seq, rows[at])
			last.ID = r.id
		}
	}
	return last, nil
}

// records returns the number of records in the file.
func (w *writer) records(ctx context.Context) (n int64, err error) {
	err = w.eachRow(ctx, lowest, highest, func(*row) { n++ })
	return n, err
}

// transaction runs f between BEGIN and COMMIT.
func (w *writer) transaction(ctx context.Context, f func() error) error {
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	before, marked := w.head, w.marked
	err := w.alone(ctx)
	if err == nil {
		err = f()
	}
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

// alone fails if the end of the chain is not the one that this writer knows. Another process then
// writes to the file, and the chain would fork.
func (w *writer) alone(ctx context.Context) error {
	var signature []byte
	err := w.readHead.QueryRowContext(ctx).Scan(&signature)
	if err == nil && !bytes.Equal(signature, w.head.Signature) {
		err = errors.New("another process writes to the activity log")
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

// keepMark stores a checkpoint.
func (w *writer) keepMark(ctx context.Context, c ledger.Checkpoint) error {
	_, err := w.addMark.ExecContext(
		ctx,
		c.Seq,
		string(c.Reason),
		c.ID,
		c.Hash,
		c.Count,
		c.Time.UnixMicro(),
		c.Key,
		c.Signature,
	)
	return err
}

// mark stores the current end as a checkpoint if it has changed since the last one.
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

// kind returns the number of a record's kind. It also returns the tool if the kind does not contain
// it.
func (w *writer) kind(ctx context.Context, r *mcpproxy.Record) (n int64, tool string, err error) {
	k := kindOf(r)
	if manyTools(r) {
		k.Tool, tool = anyTool, k.Tool
	}
	if n, ok := w.kinds[k]; ok {
		return n, tool, nil
	}
	err = w.findKind.QueryRowContext(ctx, k.columns()...).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		if err = w.countOfKinds(ctx); err == nil {
			if w.there >= maxKinds && k.Tool != "" && tool == "" {
				k.Tool, tool = anyTool, k.Tool
			}
			n, err = number(ctx, w.addKind, w.findKind, k.columns()...)
			w.there++
		}
	}
	if err == nil {
		if len(w.kinds) >= maxRemembered {
			clear(w.kinds)
		}
		w.kinds[k] = n
	}
	return n, tool, err
}

// countOfKinds counts the kinds in the file once.
func (w *writer) countOfKinds(ctx context.Context) error {
	if w.there > 0 {
		return nil
	}
	return w.conn.QueryRowContext(ctx, "SELECT count(*) FROM kinds").Scan(&w.there)
}

// scope returns the number of a session's name.
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

// number inserts a value unless it exists, and returns its number.
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
