package sqlite

import (
	"context"
	"time"

	"mcpproxy/internal/ledger"
)

// redact takes arguments and responses away from old records in which secrets or
// personal data were found. What was decided, and why, stays.
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
		seqs, err := s.next(ctx, p, at, recordsPerStep)
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

// redacted is the record up to which everything is redacted; 0 when nothing is.
func (s *Store) redacted(ctx context.Context) (seq int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM checkpoints WHERE reason = 'redaction'").Scan(&seq)
	return seq, err
}

// strip takes the bodies of records away, and leaves a signed checkpoint at the
// last of them.
func (w *writer) strip(ctx context.Context, seqs []int64, now time.Time) (n int, err error) {
	c := ledger.Checkpoint{Seq: seqs[len(seqs)-1], Count: w.head.Count, Reason: ledger.ReasonRedaction}
	for _, seq := range seqs {
		sealed, err := scanSealed(w.conn.QueryRowContext(ctx, "SELECT "+bodyColumns+", id FROM bodies JOIN records USING (seq) WHERE seq = ?", seq), &c.ID)
		if err != nil {
			return 0, err
		}
		c.Hash = sealed.Hash
		changed, err := sealed.Strip(seq, w.signer)
		if err != nil {
			return 0, err
		}
		if !changed {
			continue
		}
		n++
		_, err = w.conn.ExecContext(ctx, "UPDATE bodies SET form = ?, body = ?, salt = NULL, arguments = NULL, response = NULL, proof = ? WHERE seq = ?",
			int64(sealed.Form), sealed.Body, orNull(sealed.Proof), seq)
		if err != nil {
			return 0, err
		}
	}
	if _, err := w.conn.ExecContext(ctx, "DELETE FROM checkpoints WHERE reason = 'redaction'"); err != nil {
		return 0, err
	}
	return n, w.keepMark(ctx, w.signer.Sign(c, now))
}
