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

// Steps of tidying up: so many records, or pages of the file, in one transaction.
const (
	recordsPerStep = 256
	pagesPerStep   = 512
)

// Tidy removes what the rules say. Writers wait for one step at most.
func (s *Store) Tidy(ctx context.Context, now time.Time, rules ledger.Rules) (done ledger.Tidied, err error) {
	if s.signer == nil {
		return done, errors.New("the activity log is not open for writing")
	}
	before, err := s.size(ctx)
	if err != nil {
		return done, err
	}
	for _, step := range []func(context.Context, time.Time, ledger.Rules, *ledger.Tidied) error{s.expire, s.shrink, s.redact} {
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
		var last int64
		if err := s.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM records").Scan(&last); err != nil {
			return err
		}
		through = max(through, last-int64(rules.MaxRecords))
	}
	for {
		n, err := s.cut(ctx, now, through)
		done.Removed += n
		if err != nil || n == 0 {
			return err
		}
	}
}

// beforeTime is the last record of those at the beginning of the log that are all
// older than a time in microseconds; 0 without any.
func (s *Store) beforeTime(ctx context.Context, ts int64) (int64, error) {
	var seq, last sql.NullInt64
	err := s.db.QueryRowContext(ctx, `SELECT min(seq) FROM records NOT INDEXED
		WHERE seq >= (SELECT min(block) * 512 FROM blocks WHERE high >= ?1)
		AND seq < (SELECT (min(block) + 1) * 512 FROM blocks WHERE high >= ?1) AND ts >= ?1`, ts).Scan(&seq)
	if err != nil || seq.Valid {
		return seq.Int64 - 1, err
	}
	err = s.db.QueryRowContext(ctx, "SELECT max(seq) FROM records").Scan(&last)
	return last.Int64, err
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
	// Somewhat below, so that not every pass has a little to do.
	for goal := rules.MaxBytes - rules.MaxBytes/16; ; {
		if size, err = s.live(ctx); err != nil || size <= goal {
			return err
		}
		var last int64
		if err := s.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM records").Scan(&last); err != nil {
			return err
		}
		n, err := s.cut(ctx, now, last-1) // the newest always stays
		done.Removed += n
		if err != nil || n == 0 {
			return err
		}
	}
}

// size is what the log takes up on disk, in bytes.
func (s *Store) size(ctx context.Context) (int64, error) {
	var pages, page int64
	if err := s.db.QueryRowContext(ctx, "SELECT page_count, page_size FROM pragma_page_count(), pragma_page_size()").Scan(&pages, &page); err != nil {
		return 0, err
	}
	size := pages * page
	if info, err := os.Stat(s.path + "-wal"); err == nil {
		size += info.Size()
	}
	return size, nil
}

// live is what is left of the file, in bytes, once its free pages are given back.
func (s *Store) live(ctx context.Context) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()").Scan(&n)
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

// cut removes the oldest records up to one, as many as a step takes. It leaves a
// signed checkpoint that says where the chain begins now.
func (s *Store) cut(ctx context.Context, now time.Time, through int64) (removed int, err error) {
	err = s.step(ctx, func(w *writer) error {
		rows, err := w.oldest(ctx, through)
		if err != nil || len(rows) == 0 {
			return err
		}
		sum := newTally()
		for _, r := range rows {
			sum.add(r)
		}
		removed = len(rows)
		return w.remove(ctx, rows[len(rows)-1].seq, sum, int64(removed), now)
	})
	if err != nil {
		removed = 0
	}
	return removed, err
}

// recount makes a block anew from its records.
func (w *writer) recount(ctx context.Context, number int64) error {
	rows, err := w.rows(ctx, "SELECT seq, ts, kind, session, flow FROM records WHERE seq >= ? AND seq < ?", number*blockSize, (number+1)*blockSize)
	if err != nil || len(rows) == 0 {
		return err
	}
	sum := newTally()
	for _, r := range rows {
		sum.add(r)
	}
	return w.putBlock(ctx, number, sum.blocks[number])
}

// recountAll makes every block anew.
func (w *writer) recountAll(ctx context.Context) error {
	var low, high sql.NullInt64
	if err := w.conn.QueryRowContext(ctx, "SELECT min(seq), max(seq) FROM records").Scan(&low, &high); err != nil || !low.Valid {
		return err
	}
	for b := blockOf(low.Int64); b <= blockOf(high.Int64); b++ {
		if err := w.recount(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// oldest are the oldest records up to one, at most a step's.
func (w *writer) oldest(ctx context.Context, through int64) ([]row, error) {
	return w.rows(ctx, "SELECT seq, ts, kind, session, flow FROM records WHERE seq <= ? ORDER BY seq LIMIT ?", through, recordsPerStep)
}

func (w *writer) rows(ctx context.Context, query string, args ...any) ([]row, error) {
	rows, err := w.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []row
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.seq, &r.ts, &r.kind, &r.session, &r.flow); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// remove removes the records up to one and all that belongs to them.
func (w *writer) remove(ctx context.Context, through int64, sum *tally, n int64, now time.Time) error {
	c := ledger.Checkpoint{Seq: through, Count: w.head.Count - n, Reason: ledger.ReasonRetention}
	err := w.conn.QueryRowContext(ctx, "SELECT id, hash FROM bodies JOIN records USING (seq) WHERE seq = ?", through).Scan(&c.ID, &c.Hash)
	if err != nil {
		return err
	}
	if err := w.discount(ctx, sum); err != nil {
		return err
	}
	for _, s := range []struct {
		query string
		args  []any
	}{
		{"DELETE FROM records WHERE seq <= ?", []any{through}},
		{"DELETE FROM bodies WHERE seq <= ?", []any{through}},
		{"DELETE FROM kinds WHERE records = 0", nil},
		{"DELETE FROM scopes WHERE records = 0", nil},
		{"DELETE FROM blocks WHERE block <= ?", []any{blockOf(through)}},
		{"DELETE FROM checkpoints WHERE seq < ? OR seq = ? AND reason <> 'redaction'", []any{through, through}},
	} {
		if _, err := w.conn.ExecContext(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	w.forget() // kinds and sessions may be gone
	if err := w.recount(ctx, blockOf(through)); err != nil {
		return err
	}
	if err := w.keepMark(ctx, w.signer.Sign(c, now)); err != nil {
		return err
	}
	head := w.head
	head.Count = c.Count
	return w.end(ctx, head, now)
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer == nil {
		return nil
	}
	// It would wait for who reads, and every stop would wait for it: then the next time.
	if err := s.writer.run(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return err
	}
	err := s.writer.run(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, s.writer.run(ctx, "PRAGMA busy_timeout = 5000"))
}

// run runs a statement to its end; some pragmas work while their rows are read.
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
