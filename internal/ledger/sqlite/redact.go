package sqlite

import (
	"context"
	"errors"
	"time"

	"mcpproxy/internal/ledger"
)

// redact removes arguments and responses from old records in which secrets or personal data were
// found. The decisions and their reasons stay.
func (s *Store) redact(ctx context.Context, now time.Time, rules ledger.Rules, done *ledger.Tidied) error {
	if rules.RedactAfter <= 0 {
		return nil
	}
	through, err := s.beforeTime(ctx, now.Add(-rules.RedactAfter).UnixMicro())
	if err != nil {
		return err
	}
	sensitive := true
	p, err := s.plan(ctx, ledger.Filter{Sensitive: &sensitive, OldestFirst: true})
	if err != nil || p.empty {
		return err
	}
	p.high = through
	at, err := s.redacted(ctx)
	if err != nil {
		return err
	}
	for {
		seqs, err := s.next(ctx, p, at, 0, recordsPerStep)
		if err != nil || len(seqs) == 0 {
			return err
		}
		at = seqs[len(seqs)-1]
		n := 0
		err = s.step(ctx, func(w *writer) error {
			n, err = w.strip(ctx, seqs, now)
			return err
		})
		if err != nil {
			return err
		}
		done.Redacted += n
	}
}

// redacted returns the last record of the redacted part, or 0.
func (s *Store) redacted(ctx context.Context) (seq int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM checkpoints WHERE reason = 'redaction'").
		Scan(&seq)
	return seq, err
}

// strip removes the bodies of records and adds a signed checkpoint at the last of them.
func (w *writer) strip(ctx context.Context, seqs []int64, now time.Time) (n int, err error) {
	c := ledger.Checkpoint{Seq: seqs[len(seqs)-1], Count: w.head.Count, Reason: ledger.ReasonRedaction}
	for len(seqs) > 0 {
		p, err := w.pieceOf(ctx, seqs[0])
		if err != nil {
			return 0, err
		}
		stripped, done, err := w.stripPiece(ctx, p, seqs, &c)
		if err != nil {
			return 0, err
		}
		n, seqs = n+stripped, seqs[done:]
	}
	if _, err := w.conn.ExecContext(ctx, "DELETE FROM checkpoints WHERE reason = 'redaction'"); err != nil {
		return 0, err
	}
	return n, w.keepMark(ctx, w.signer.Sign(c, now))
}

// pieceOf returns the piece that contains a record.
func (w *writer) pieceOf(ctx context.Context, seq int64) (p *piece, err error) {
	p = &piece{}
	err = w.conn.QueryRowContext(ctx, "SELECT first, prev, rows, bodies, beside FROM pieces WHERE first <= ? ORDER BY first DESC LIMIT 1", seq).
		Scan(&p.first, &p.prev, &p.rows, &p.bodies, &p.beside)
	return p, err
}

// stripPiece removes the bodies of those records that are in the piece. It returns how many records
// are in the piece, and how many of them had bodies. It stores the last of them in c.
func (w *writer) stripPiece(
	ctx context.Context,
	p *piece,
	seqs []int64,
	c *ledger.Checkpoint,
) (stripped, done int, err error) {
	all, err := p.sealed()
	if err != nil {
		return 0, 0, err
	}
	rows, _ := parts(string(p.rows))
	for ; done < len(seqs) && seqs[done]-p.first < int64(min(len(all), len(rows))); done++ {
		at := seqs[done] - p.first
		r, _ := readRow(seqs[done], rows[at])
		c.ID, c.Hash = r.id, all[at].Hash
		changed, err := all[at].Strip(seqs[done], w.signer)
		if err != nil {
			return 0, 0, err
		}
		if changed {
			stripped++
		}
	}
	if done == 0 {
		return 0, 0, errors.New("a record was removed meanwhile")
	}
	if stripped == 0 {
		return 0, done, nil
	}
	var out packer
	for i := range all {
		out.add(p.first+int64(i), nil, &all[i])
	}
	_, err = w.setPiece.ExecContext(ctx, p.first, out.bodies, out.beside)
	return stripped, done, err
}
