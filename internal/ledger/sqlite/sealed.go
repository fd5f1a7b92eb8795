package sqlite

import (
	"context"
	"database/sql"

	"mcpproxy/internal/ledger"
)

// SealedAfter returns records in stored form, in the order of the chain. It begins after the record with the number
// after or, if retention has removed that one, at the oldest record. It returns the number of the first returned
// record. The limits are a number of records and a size in bytes; the record that reaches the size is the last.
func (s *Store) SealedAfter(
	ctx context.Context,
	after int64,
	records, bytes int,
) (first int64, all []ledger.Sealed, err error) {
	const query = `SELECT first, prev, bodies, beside FROM pieces
		WHERE first >= coalesce((SELECT max(first) FROM pieces WHERE first <= ?1), ?1) ORDER BY first`
	size := 0
	err = eachRowOf(ctx, s.reads, query, []any{after + 1}, func(rows *sql.Rows) (bool, error) {
		var p piece
		if err := rows.Scan(&p.first, &p.prev, &p.bodies, &p.beside); err != nil {
			return false, err
		}
		sealed, err := p.sealed()
		if err != nil {
			return false, err
		}
		for i, r := range sealed {
			seq := p.first + int64(i)
			if seq <= after {
				continue
			}
			if len(r.Body) == 0 {
				return false, errUnreadable
			}
			if len(all) == 0 {
				first = seq
			}
			all = append(all, r)
			size += len(r.Body) + len(r.Arguments) + len(r.Response)
			if len(all) >= records || size >= bytes {
				return false, nil
			}
		}
		return true, nil
	})
	return first, all, err
}
