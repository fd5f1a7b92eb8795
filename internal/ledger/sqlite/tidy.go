package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"mcpproxy/internal/ledger"
)

// Limits of one transaction when removing records: records, or pages of the file.
const (
	recordsPerStep = 512
	pagesPerStep   = 512
)

// Tidy removes records according to the rules. Writers wait for at most one step.
func (s *Store) Tidy(ctx context.Context, now time.Time, rules ledger.Rules) (done ledger.Tidied, err error) {
	if s.signer == nil {
		return done, errors.New("the activity log is not open for writing")
	}
	before, err := s.size(ctx)
	if err != nil {
		return done, err
	}
	if done.Doubt, err = s.doubt(ctx, now); err != nil {
		return done, err
	}
	if done.Doubt != nil {
		rules.MaxAge, rules.RedactAfter = 0, 0
	}
	for _, step := range []func(context.Context, time.Time, ledger.Rules, *ledger.Tidied) error{s.expire,
		s.shrink, s.redact} {
		if err := step(ctx, now, rules, &done); err != nil {
			return done, err
		}
	}
	if done.Removed+done.Redacted > 0 {
		if err := s.giveBack(ctx); err != nil {
			return done, err
		}
	}
	after, err := s.size(ctx)
	done.Bytes = before - after
	return done, err
}

// expire removes records by age and number.
func (s *Store) expire(ctx context.Context, now time.Time, rules ledger.Rules, done *ledger.Tidied) error {
	through := int64(0)
	if rules.MaxAge > 0 {
		seq, err := s.beforeTime(ctx, now.Add(-rules.MaxAge).UnixMicro())
		if err != nil {
			return err
		}
		through = seq
	}
	if rules.MaxRecords > 0 {
		last, err := s.last(ctx)
		if err != nil {
			return err
		}
		through = max(through, last-int64(rules.MaxRecords))
	}
	if rules.Unsent.MaxBytes > 0 {
		through = min(through, rules.Unsent.After)
	}
	for {
		n, err := s.cut(ctx, now, through)
		done.Removed += n
		if err != nil || n == 0 {
			return err
		}
	}
}

// beforeTime returns the last record of the initial part of the log in which all records are older
// than a time in microseconds, or 0.
func (s *Store) beforeTime(ctx context.Context, ts int64) (int64, error) {
	p := &queryPlan{
		oldest: true,
		low:    lowest,
		high:   highest,
		timed:  true,
		start:  ts,
		end:    highest,
	}
	seqs, err := s.next(ctx, p, p.begin(), 0, 1)
	if err != nil || len(seqs) == 0 {
		last, err2 := s.last(ctx)
		return last, errors.Join(err, err2)
	}
	return seqs[0] - 1, nil
}

// last returns the number of the newest record, or 0.
func (s *Store) last(ctx context.Context) (seq int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT coalesce((SELECT seq FROM head), 0)").Scan(&seq)
	return seq, err
}

// shrink removes the oldest records until the log is small enough.
func (s *Store) shrink(ctx context.Context, now time.Time, rules ledger.Rules, done *ledger.Tidied) error {
	if rules.MaxBytes <= 0 {
		return nil
	}
	size, err := s.size(ctx)
	if err != nil || size <= rules.MaxBytes {
		return err
	}
	if err := s.giveBack(ctx); err != nil {
		return err
	}
	last, err := s.last(ctx)
	if err != nil {
		return err
	}
	through := last - 1 // the newest always stays
	if u := rules.Unsent; u.MaxBytes > 0 {
		if err := s.shrinkTo(ctx, now, rules.MaxBytes, min(through, u.After), done); err != nil {
			return err
		}
		rules.MaxBytes = max(rules.MaxBytes, u.MaxBytes)
		if size, err = s.live(ctx); err != nil || size <= rules.MaxBytes {
			return err
		}
	}
	return s.shrinkTo(ctx, now, rules.MaxBytes, through, done)
}

// shrinkTo removes the oldest records, but none after the record through, until the log has at most 15/16
// of the given bytes. The rest is a reserve: without it, every pass would remove a few records.
func (s *Store) shrinkTo(ctx context.Context, now time.Time, bytes, through int64, done *ledger.Tidied) error {
	for {
		size, err := s.live(ctx)
		if err != nil || size <= bytes-bytes/16 {
			return err
		}
		n, err := s.cut(ctx, now, through)
		done.Removed += n
		if err != nil || n == 0 {
			return err
		}
	}
}

// size returns the size of the log on disk, in bytes.
func (s *Store) size(ctx context.Context) (int64, error) {
	var pages, page int64
	if err := s.db.QueryRowContext(ctx, "SELECT page_count, page_size FROM pragma_page_count(), pragma_page_size()").
		Scan(&pages, &page); err != nil {
		return 0, err
	}
	size := pages * page
	if info, err := os.Stat(s.path + "-wal"); err == nil {
		size += info.Size()
	}
	return size, nil
}

// live returns the size of the file without its free pages, in bytes.
func (s *Store) live(ctx context.Context) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()").
		Scan(&n)
	return n, err
}

// step runs f in a transaction of the writer.
func (s *Store) step(ctx context.Context, f func(*writer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer == nil {
		return errors.New("the activity log was closed")
	}
	return s.writer.transaction(ctx, func() error { return f(s.writer) })
}

// cut removes the oldest records up to a number, at most one step's worth. It adds a signed
// checkpoint at the chain's new beginning.
func (s *Store) cut(ctx context.Context, now time.Time, through int64) (removed int, err error) {
	err = s.step(ctx, func(w *writer) error {
		c, sum, n, err := w.oldest(ctx, through)
		if err != nil || n == 0 {
			return err
		}
		removed = n
		c.Count, c.Reason = w.head.Count-int64(n), ledger.ReasonRetention
		return w.remove(ctx, c, sum, now)
	})
	if err != nil {
		removed = 0
	}
	return removed, err
}

// oldest returns the last of the oldest records up to a number and at most one step's worth, with
// their counts and number.
func (w *writer) oldest(
	ctx context.Context,
	through int64,
) (last ledger.Checkpoint, sum *rowCounts, n int, err error) {
	var from sql.NullInt64
	sum = newTally()
	err = w.conn.QueryRowContext(ctx, "SELECT min(first) FROM pieces").Scan(&from)
	if err != nil || !from.Valid {
		return last, sum, 0, err
	}
	through = min(through, from.Int64+recordsPerStep-1)
	err = w.eachPiece(ctx, from.Int64, through+1, func(p *piece) error {
		bodies, _ := parts(p.bodies)
		eachRow(p.first, string(p.rows), func(r *row) bool {
			if r.seq > through {
				return false
			}
			sum.add(r)
			last.Seq, last.ID = r.seq, r.id
			n++
			return true
		})
		if at := last.Seq - p.first; at >= 0 && at < int64(len(bodies)) {
			body, _ := readBody(bodies[at])
			last.Hash = body.Hash
		}
		return nil
	})
	return last, sum, n, err
}

// remove removes the records up to a number and all their data.
func (w *writer) remove(ctx context.Context, through ledger.Checkpoint, sum *rowCounts, now time.Time) error {
	if err := w.discount(ctx, sum); err != nil {
		return err
	}
	next := through.Seq + 1
	if err := w.removePieces(ctx, next); err != nil {
		return err
	}
	block := blockOf(next) // the first remaining block
	for _, s := range []struct {
		query string
		args  []any
	}{
		{"DELETE FROM kinds WHERE records = 0", nil},
		{"DELETE FROM scopes WHERE records = 0", nil},
		{"DELETE FROM blocks WHERE block < ?", []any{block}},
		{"DELETE FROM segments WHERE segment < ?", []any{segmentOf(block)}},
		{"DELETE FROM terms WHERE part < ?", []any{segmentOf(block) * termParts}},
		{"DELETE FROM checkpoints WHERE seq < ?1 OR seq = ?1 AND reason <> 'redaction'", []any{through.Seq}},
	} {
		if _, err := w.conn.ExecContext(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	w.forget() // kinds and sessions may have been removed
	if err := w.recount(ctx, block); err != nil {
		return err
	}
	if err := w.keepMark(ctx, w.signer.Sign(through, now)); err != nil {
		return err
	}
	head := w.head
	head.Count = through.Count
	return w.end(ctx, head, now)
}

// removePieces removes the records before a number.
func (w *writer) removePieces(ctx context.Context, next int64) error {
	p, err := w.pieceOf(ctx, next-1)
	if err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, "DELETE FROM pieces WHERE first < ?", next); err != nil {
		return err
	}
	if err := w.move(ctx, p, next); err != nil || w.pack.n == 0 {
		return err
	}
	return w.insert(ctx)
}

// recount recomputes the first remaining block and its segment. The terms of a closed segment still
// include removed records, which hides no match.
func (w *writer) recount(ctx context.Context, number int64) error {
	b, err := w.readBlock(ctx, number)
	if err != nil {
		return err
	}
	var open int64
	if open, err = firstOpen(ctx, w.conn); err != nil {
		return err
	}
	switch {
	case b.records == 0:
		_, err = w.conn.ExecContext(ctx, "DELETE FROM blocks WHERE block = ?", number)
	case number < open || w.head.Seq < (number+1)*blockSize-1:
		err = w.putBlock(ctx, number, b, nil)
	default:
		err = w.putBlock(ctx, number, b, packTerms(b.terms))
	}
	if err != nil || number >= open {
		return err
	}
	sum, err := w.readSegment(ctx, segmentOf(number), &index{})
	if err != nil || sum.kinds == nil {
		return err
	}
	return w.putSegment(ctx, segmentOf(number), sum)
}

// giveBack returns free pages to the file system, a few at a time.
func (s *Store) giveBack(ctx context.Context) error {
	for {
		var free int64
		if err := s.db.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
			return err
		}
		if free == 0 {
			break
		}
		s.mu.Lock()
		err := errors.New("the activity log was closed")
		if s.writer != nil {
			err = s.writer.run(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pagesPerStep))
		}
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer == nil {
		return nil
	}
	// The pragma would wait for readers and delay shutdown. It is tried again next time instead.
	if err := s.writer.run(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return err
	}
	err := s.writer.run(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, s.writer.run(ctx, "PRAGMA busy_timeout = 5000"))
}

// run runs a statement to its end, because some pragmas do their work while their rows are read.
func (w *writer) run(ctx context.Context, query string) error {
	rows, err := w.conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
