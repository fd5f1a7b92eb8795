package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// rowsAtOnce is how many rows are read before their records.
const rowsAtOnce = 512

// Frequent queries.
const (
	rowsQuery  = "SELECT first, rows FROM pieces WHERE first BETWEEN ? AND ? ORDER BY first " // followed by a direction
	pieceQuery = "SELECT first, prev, bodies, beside FROM pieces WHERE first <= ? ORDER BY first DESC LIMIT 1"
	briefQuery = "SELECT first, prev, bodies, x'' FROM pieces WHERE first <= ? ORDER BY first DESC LIMIT 1"
)

// reads are the connections for reading, with the frequent queries prepared.
type reads struct {
	*sql.DB
	prepared map[string]*sql.Stmt
}

func newReads(ctx context.Context, db *sql.DB) (*reads, error) {
	r := &reads{db, map[string]*sql.Stmt{}}
	for _, query := range []string{rowsQuery + "ASC", rowsQuery + "DESC", pieceQuery, briefQuery} {
		stmt, err := db.PrepareContext(ctx, query)
		if err != nil {
			return nil, err // closing db closes the other statements
		}
		r.prepared[query] = stmt
	}
	return r, nil
}

// QueryContext runs a query.
func (r *reads) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if stmt := r.prepared[query]; stmt != nil {
		return stmt.QueryContext(ctx, args...)
	}
	return r.DB.QueryContext(ctx, query, args...)
}

// Get returns one record.
func (s *Store) Get(ctx context.Context, id string) (*mcpproxy.Record, error) {
	seq, err := lookUp(ctx, s.reads, id)
	if err != nil {
		return nil, err
	}
	r, err := (&recordReader{db: s.reads}).record(ctx, seq)
	if err == nil && r == nil {
		err = ledger.ErrNotFound
	}
	return r, err
}

// Scan calls f with every record that matches.
func (s *Store) Scan(ctx context.Context, q ledger.Filter, f func(*mcpproxy.Record) error) error {
	p, err := s.plan(ctx, q)
	if err != nil || p.empty {
		return err
	}
	at, from := p.begin(), &recordReader{db: s.reads, brief: q.Brief}
	skip, left := q.Offset, q.Limit
	for {
		want := rowsAtOnce
		if q.Limit > 0 {
			want = min(want, left)
		}
		seqs, err := s.next(ctx, p, at, skip, want)
		if err != nil {
			return err
		}
		for _, at = range seqs {
			r, err := from.record(ctx, at)
			if err == nil && r != nil { // skip a record that was removed meanwhile
				err = f(r)
			}
			if err != nil {
				return err
			}
		}
		skip, left = 0, left-len(seqs)
		if q.Limit > 0 && left <= 0 || len(seqs) < want {
			return nil
		}
	}
}

// recordReader reads records. It caches the last piece.
type recordReader struct {
	db    querier
	brief bool // do not read arguments and response

	first int64
	all   sealedParts
}

// record returns a record by its number, or nil.
func (r *recordReader) record(ctx context.Context, seq int64) (*mcpproxy.Record, error) {
	if at := seq - r.first; at < 0 || at >= int64(len(r.all.bodies)) {
		if err := r.read(ctx, seq); err != nil {
			return nil, err
		}
	}
	at := seq - r.first
	if seq == 0 || at < 0 || at >= int64(len(r.all.bodies)) {
		return nil, nil
	}
	sealed, err := r.all.at(int(at))
	if err != nil {
		return nil, err
	}
	out, err := sealed.Open()
	if err == nil && r.brief {
		out.Arguments, out.Response = nil, nil // records of the older form contain them
		out.Redacted = out.Redacted && sealed.Salt == nil
	}
	return out, err
}

// read reads the piece that contains a record.
func (r *recordReader) read(ctx context.Context, seq int64) error {
	p := piece{}
	r.all = sealedParts{}
	query := pieceQuery
	if r.brief {
		query = briefQuery
	}
	err := eachRowOf(ctx, r.db, query, []any{seq},
		func(rows *sql.Rows) (bool, error) { return true, rows.Scan(&p.first, &p.prev, &p.bodies, &p.beside) })
	if err == nil {
		r.first = p.first
		r.all, err = p.split()
	}
	return err
}

// list returns numbers as an SQL list.
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
