package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Records read at once: so many rows of the index, and so many whole records,
// which may be large.
const (
	rowsAtOnce   = 512
	bodiesAtOnce = 16
)

const bodyColumns = "form, body, prev, hash, salt, arguments, response, proof"

// scanner is a row.
type scanner interface{ Scan(dest ...any) error }

func scanSealed(row scanner, more ...any) (s ledger.Sealed, err error) {
	err = row.Scan(append([]any{&s.Form, &s.Body, &s.Prev, &s.Hash, &s.Salt, &s.Arguments, &s.Response, &s.Proof}, more...)...)
	return s, err
}

// Get returns one record.
func (s *Store) Get(ctx context.Context, id string) (*mcpproxy.Record, error) {
	sealed, err := scanSealed(s.db.QueryRowContext(ctx, "SELECT "+bodyColumns+" FROM bodies JOIN records USING (seq) WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ledger.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return sealed.Open()
}

// Scan calls f with every record that matches.
func (s *Store) Scan(ctx context.Context, q ledger.Filter, f func(*mcpproxy.Record) error) error {
	p, err := s.plan(ctx, q)
	if err != nil || p.empty {
		return err
	}
	at, skip, err := s.skip(ctx, p, p.begin(), q.Offset)
	if err != nil {
		return err
	}
	for left := q.Limit; ; {
		want := rowsAtOnce
		if q.Limit > 0 {
			want = min(want, left+skip)
		}
		seqs, err := s.next(ctx, p, at, want)
		if err != nil || len(seqs) == 0 {
			return err
		}
		at = seqs[len(seqs)-1]
		over := min(skip, len(seqs))
		skip -= over
		for part := seqs[over:]; len(part) > 0; part = part[min(bodiesAtOnce, len(part)):] {
			if err := s.hand(ctx, part[:min(bodiesAtOnce, len(part))], q.Brief, f); err != nil {
				return err
			}
		}
		if left -= len(seqs) - over; q.Limit > 0 && left <= 0 {
			return nil
		}
	}
}

// hand reads the records at seqs and calls f with each in that order. One that
// was removed meanwhile is left out.
func (s *Store) hand(ctx context.Context, seqs []int64, brief bool, f func(*mcpproxy.Record) error) error {
	records, err := s.records(ctx, seqs, brief)
	if err != nil {
		return err
	}
	for _, seq := range seqs {
		r := records[seq]
		if r == nil {
			continue
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) records(ctx context.Context, seqs []int64, brief bool) (map[int64]*mcpproxy.Record, error) {
	columns := bodyColumns
	if brief { // what lies beside the record is not read at all
		columns = "form, body, prev, hash, salt, NULL, NULL, proof"
	}
	rows, err := s.db.QueryContext(ctx, "SELECT "+columns+", seq FROM bodies WHERE seq IN ("+list(seqs)+")")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[int64]*mcpproxy.Record{}
	for rows.Next() {
		var seq int64
		sealed, err := scanSealed(rows, &seq)
		if err != nil {
			return nil, err
		}
		r, err := sealed.Open()
		if err != nil {
			return nil, err
		}
		if brief {
			r.Arguments, r.Response = nil, nil
			r.Redacted = r.Redacted && sealed.Salt == nil
		}
		out[seq] = r
	}
	return out, rows.Err()
}

// list is numbers as SQL.
func list(numbers []int64) string {
	var b strings.Builder
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}
