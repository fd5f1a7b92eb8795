package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"

	"mcpproxy/internal/ledger"
)

// plan is how the records of a filter are found.
type plan struct {
	empty     bool  // nothing matches
	oldest    bool  // first
	low, high int64 // seq of the first and the last record that come into question

	// picky says that only some kinds match: these, the one with the newest record
	// first.
	picky bool
	kinds []numbered

	start, end int64 // times, when timed
	timed      bool

	scope           int64 // 0 is any
	request, parent string
}

// numbered is a kind in the file.
type numbered struct {
	kind
	number, records, last int64
}

// maxMerged is how many kinds are merged. Beyond, the log is read in order.
const maxMerged = 500

// plan works out where the records of a filter are.
func (s *Store) plan(ctx context.Context, q ledger.Filter) (*plan, error) {
	p := &plan{oldest: q.OldestFirst, low: math.MinInt64, high: math.MaxInt64, request: q.RequestID, parent: q.ParentID}
	for _, step := range []func(context.Context, ledger.Filter, *plan) error{s.planKinds, s.planScope, s.planTime, s.planCursor} {
		if err := step(ctx, q, p); err != nil || p.empty {
			return p, err
		}
	}
	p.empty = p.low > p.high
	return p, nil
}

func (s *Store) planKinds(ctx context.Context, q ledger.Filter, p *plan) error {
	w := kindConditions(q)
	if p.picky = len(w.parts) > 0; !p.picky {
		return nil
	}
	var err error
	p.kinds, err = s.findKinds(ctx, w)
	p.empty = len(p.kinds) == 0
	return err
}

// findKinds are the kinds that meet conditions, the one with the newest record first.
func (s *Store) findKinds(ctx context.Context, w *where) ([]numbered, error) {
	query := "SELECT kind, records, last"
	for _, c := range kindColumns {
		query += ", " + c
	}
	rows, err := s.db.QueryContext(ctx, query+" FROM kinds"+w.String()+" ORDER BY last DESC", w.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []numbered
	for rows.Next() {
		var k numbered
		if err := rows.Scan(append([]any{&k.number, &k.records, &k.last}, k.fields()...)...); err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, rows.Err()
}

func (s *Store) planScope(ctx context.Context, q ledger.Filter, p *plan) error {
	if q.Session == "" {
		return nil
	}
	err := s.db.QueryRowContext(ctx, "SELECT scope FROM scopes WHERE name = ?", q.Session).Scan(&p.scope)
	if errors.Is(err, sql.ErrNoRows) {
		p.empty = true
		return nil
	}
	return err
}

// planTime narrows the records to the blocks in which some are of that time.
func (s *Store) planTime(ctx context.Context, q ledger.Filter, p *plan) error {
	if q.Start.IsZero() && q.End.IsZero() {
		return nil
	}
	p.timed, p.start, p.end = true, math.MinInt64, math.MaxInt64
	if !q.Start.IsZero() {
		p.start = q.Start.UnixMicro()
	}
	if !q.End.IsZero() {
		p.end = q.End.UnixMicro()
	}
	var low, high sql.NullInt64
	err := s.db.QueryRowContext(ctx, "SELECT min(block), max(block) FROM blocks INDEXED BY blocks_time WHERE high >= ? AND low <= ?", p.start, p.end).Scan(&low, &high)
	p.empty = !low.Valid
	p.low, p.high = low.Int64*blockSize, high.Int64*blockSize+blockSize-1
	return err
}

func (s *Store) planCursor(ctx context.Context, q ledger.Filter, p *plan) error {
	for _, c := range []struct {
		id    string
		apply func(seq int64)
	}{
		{q.Before, func(seq int64) { p.high = min(p.high, seq-1) }},
		{q.After, func(seq int64) { p.low = max(p.low, seq+1) }},
	} {
		if c.id == "" {
			continue
		}
		var seq int64
		err := s.db.QueryRowContext(ctx, "SELECT seq FROM records WHERE id = ?", c.id).Scan(&seq)
		if errors.Is(err, sql.ErrNoRows) {
			p.empty = true
			return nil
		}
		if err != nil {
			return err
		}
		c.apply(seq)
	}
	return nil
}

// narrow reports whether few records come into question by something that they
// have to themselves.
func (p *plan) narrow() bool { return p.scope != 0 || p.request != "" || p.parent != "" }

// begin is the place before the first record.
func (p *plan) begin() int64 {
	if p.oldest {
		return max(p.low, math.MinInt64+1) - 1
	}
	return min(p.high, math.MaxInt64-1) + 1
}

// order is the direction in SQL.
func (p *plan) order() string {
	if p.oldest {
		return " ORDER BY seq ASC"
	}
	return " ORDER BY seq DESC"
}

// window is the condition for what comes after a place.
func (p *plan) window(at int64) (condition string, args []any) {
	if p.oldest {
		return "seq > ? AND seq <= ?", []any{at, p.high}
	}
	return "seq < ? AND seq >= ?", []any{at, p.low}
}

// rest are the conditions that no index is to be chosen for.
func (p *plan) rest(kinds, scope bool) *where {
	var w where
	if p.timed {
		w.and("+ts BETWEEN ? AND ?", p.start, p.end)
	}
	if kinds && p.picky {
		var ids []int64
		for _, k := range p.kinds {
			ids = append(ids, k.number)
		}
		slices.Sort(ids)
		w.and("+kind IN (" + list(ids) + ")")
	}
	if scope && p.scope != 0 {
		w.and("(+session = ? OR +flow = ?)", p.scope, p.scope)
	}
	return &w
}

// next are the numbers of up to n matching records after a place.
func (s *Store) next(ctx context.Context, p *plan, at int64, n int) ([]int64, error) {
	switch {
	case p.narrow():
		query, args := p.narrowed("seq", at)
		return s.numbers(ctx, query+p.order()+" LIMIT ?", append(args, n)...)
	case p.picky && len(p.kinds) <= maxMerged:
		return s.merge(ctx, p, at, n)
	}
	window, args := p.window(at)
	w := &where{[]string{window}, args}
	rest := p.rest(true, false)
	w.parts, w.args = append(w.parts, rest.parts...), append(w.args, rest.args...)
	return s.numbers(ctx, "SELECT seq FROM records NOT INDEXED"+w.String()+p.order()+" LIMIT ?", append(w.args, n)...)
}

// narrowed selects columns of the records after a place by request, parent or session.
func (p *plan) narrowed(columns string, at int64) (query string, args []any) {
	window, span := p.window(at)
	one := func(index, key string, value any, scope bool) {
		w := &where{[]string{key + " = ?", window}, append([]any{value}, span...)}
		rest := p.rest(true, scope)
		w.parts, w.args = append(w.parts, rest.parts...), append(w.args, rest.args...)
		if query != "" {
			query += " UNION "
		}
		query += "SELECT " + columns + " FROM records INDEXED BY " + index + w.String()
		if index == "records_request" && p.parent != "" {
			query += " AND +parent_id = ?"
			w.args = append(w.args, p.parent)
		}
		switch index { // the index is a partial one
		case "records_session", "records_flow":
			query += " AND " + key + " <> 0"
		default:
			query += " AND " + key + " <> ''"
		}
		args = append(args, w.args...)
	}
	switch {
	case p.request != "":
		one("records_request", "request_id", p.request, true)
	case p.parent != "":
		one("records_parent", "parent_id", p.parent, true)
	default:
		one("records_session", "session", p.scope, false)
		one("records_flow", "flow", p.scope, false)
	}
	return query, args
}

// numbers runs a query for one column.
func (s *Store) numbers(ctx context.Context, query string, args ...any) ([]int64, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, rows.Err()
}
