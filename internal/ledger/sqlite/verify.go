package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"mcpproxy/internal/ledger"
)

// Verify walks the chain and holds every narrow row against its record.
func (s *Store) Verify(ctx context.Context) (ledger.Report, error) {
	// A full join, so that a row or a body without its other half shows too.
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one view of the file
	if err != nil {
		return ledger.Report{}, err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT bodies.seq, body, prev, hash, records."+strings.Join(names, ", records.")+
		" FROM bodies FULL OUTER JOIN records USING (seq) ORDER BY coalesce(bodies.seq, records.seq)")
	if err != nil {
		return ledger.Report{}, err
	}
	defer rows.Close()
	rep := ledger.Report{OK: true}
	last := ""
	for rows.Next() {
		var body []byte
		var seq sql.NullInt64
		var prev, hash sql.NullString
		row := make([]any, len(names))
		dest := []any{&seq, &body, &prev, &hash}
		for i := range row {
			dest = append(dest, &row[i])
		}
		if err := rows.Scan(dest...); err != nil {
			return rep, err
		}
		if bad, id := check(rep.Head, body, prev.String, hash.String, row); bad != "" {
			rep.OK, rep.BadID, rep.Problem = false, id, bad
			return rep, nil
		}
		rep.Head, last = hash.String, fmt.Sprint(row[0])
		rep.Records++
	}
	if err := rows.Err(); err != nil {
		return rep, err
	}
	// Records cut off the end leave a chain that holds; the head remembers them.
	var seq int64
	var hash string
	err = tx.QueryRowContext(ctx, "SELECT seq, hash FROM head").Scan(&seq, &hash)
	if errors.Is(err, sql.ErrNoRows) && rep.Records == 0 {
		return rep, nil
	}
	if err != nil || hash != rep.Head {
		rep.OK, rep.Problem = false, "records after this one were removed"
		rep.BadID = last
	}
	return rep, nil
}

// check returns what is wrong with one stored record, and its id.
func check(head string, body []byte, prev, hash string, row []any) (problem, id string) {
	id = fmt.Sprint(row[0])
	if body == nil {
		return "the record's body is missing", id
	}
	r, err := ledger.Open(body, prev, hash)
	if err != nil {
		return "the record's body cannot be read", id
	}
	if row[0] == nil || ledger.Hash(prev, body) == hash {
		id = r.ID // the body is whole, and knows best
	}
	switch {
	case row[0] == nil:
		return "the record's row is missing", id
	case ledger.Hash(prev, body) != hash:
		return "the record was changed after it was written", id
	case prev != head:
		return "a record before this one was removed, inserted or moved", id
	}
	for i, want := range columns(r) {
		if row[i] != want {
			return fmt.Sprintf("the column %s does not agree with the record", names[i]), id
		}
	}
	return "", id
}
