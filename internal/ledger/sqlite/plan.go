package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"mcpproxy/internal/ledger"
)

// queryPlan says how to find the records that match a filter.
type queryPlan struct {
	empty     bool  // no record matches
	oldest    bool  // oldest first
	low, high int64 // seq range of possible matches

	// picky says that only the kinds in the map match. count is the number of their records.
	picky   bool
	wanted  map[int64]bool
	records int

	start, end int64 // time range, if timed
	timed      bool

	id, request, parent string
	scope               int64          // 0 for any
	tool                string         // tool that rows of these kinds must have:
	others              map[int64]bool // kinds without a tool

	terms []term // terms that every match has
}

// Bounds of a filter without limits.
const (
	lowest  = math.MinInt64
	highest = math.MaxInt64
)

// numbered is a kind in the file.
type numbered struct {
	recordKind
	number, records int64
}

// plan computes where the matches of a filter are.
func (s *Store) plan(ctx context.Context, q ledger.Filter) (*queryPlan, error) {
	p := &queryPlan{
		oldest:  q.OldestFirst,
		low:     lowest,
		high:    highest,
		request: q.RequestID,
		parent:  q.ParentID,
	}
	if p.request != "" {
		p.terms = append(p.terms, textTerm(termRequest, p.request))
	}
	if p.parent != "" {
		p.terms = append(p.terms, textTerm(termParent, p.parent))
	}
	for _, step := range []func(context.Context, ledger.Filter, *queryPlan) error{
		s.planKinds,
		s.planScope,
		s.planTime,
		s.planCursor,
	} {
		if err := step(ctx, q, p); err != nil || p.empty {
			return p, err
		}
	}
	p.empty = p.low > p.high
	return p, nil
}

func (s *Store) planKinds(ctx context.Context, q ledger.Filter, p *queryPlan) error {
	w := kindConditions(q)
	if p.picky = len(w.parts) > 0; !p.picky {
		return nil
	}
	p.wanted = map[int64]bool{}
	named := false // whether a kind contains the tool
	err := eachRowOf(
		ctx,
		s.db,
		"SELECT kind, records, tool FROM kinds"+w.String(),
		w.args,
		func(rows *sql.Rows) (bool, error) {
			var number int64
			var records int
			var tool string
			err := rows.Scan(&number, &records, &tool)
			p.wanted[number] = true
			p.records += records
			if q.Tool == "" || tool != anyTool {
				named = true
				return true, err
			}
			if p.others == nil {
				p.others, p.tool = map[int64]bool{}, q.Tool
			}
			p.others[number] = true
			return true, err
		},
	)
	p.empty = len(p.wanted) == 0
	if !named && q.Tool != "" && q.Tool != anyTool {
		p.terms = append(p.terms, textTerm(termTool, q.Tool))
	}
	return err
}

// findKinds returns the kinds that meet conditions.
func (s *Store) findKinds(ctx context.Context, w *where) ([]numbered, error) {
	query := "SELECT kind, records"
	for _, c := range kindColumns {
		query += ", " + c
	}
	rows, err := s.db.QueryContext(ctx, query+" FROM kinds"+w.String(), w.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []numbered
	for rows.Next() {
		var k numbered
		if err := rows.Scan(append([]any{&k.number, &k.records}, k.fields()...)...); err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, rows.Err()
}

func (s *Store) planScope(ctx context.Context, q ledger.Filter, p *queryPlan) error {
	if q.Session == "" {
		return nil
	}
	err := s.db.QueryRowContext(ctx, "SELECT scope FROM scopes WHERE name = ?", q.Session).Scan(&p.scope)
	if errors.Is(err, sql.ErrNoRows) {
		p.empty = true
		return nil
	}
	p.terms = append(p.terms, scopeTerm(p.scope))
	return err
}

func (s *Store) planTime(_ context.Context, q ledger.Filter, p *queryPlan) error {
	if q.Start.IsZero() && q.End.IsZero() {
		return nil
	}
	p.timed = true
	p.start = lowest
	p.end = highest
	if !q.Start.IsZero() {
		p.start = q.Start.UnixMicro()
	}
	if !q.End.IsZero() {
		p.end = q.End.UnixMicro()
	}
	return nil
}

func (s *Store) planCursor(ctx context.Context, q ledger.Filter, p *queryPlan) error {
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
		seq, err := lookUp(ctx, s.reads, c.id)
		if err != nil {
			return err
		}
		if seq == 0 {
			p.empty = true
			return nil
		}
		c.apply(seq)
	}
	return nil
}

// narrow reports whether a filter has conditions that kinds do not decide.
func (p *queryPlan) narrow() bool { return len(p.terms) > 0 || len(p.others) > 0 }

// begin returns the position before the first record.
func (p *queryPlan) begin() int64 {
	if p.oldest {
		return max(p.low, lowest+1) - 1
	}
	return min(p.high, highest-1) + 1
}

// after returns the plan for the records after a position.
func (p *queryPlan) after(at int64) *queryPlan {
	out := *p
	if p.oldest {
		out.low = max(out.low, at+1)
	} else {
		out.high = min(out.high, at-1)
	}
	return &out
}

// matches reports whether a record matches the plan.
func (p *queryPlan) matches(r *row) bool {
	return r.seq >= p.low && r.seq <= p.high &&
		(!p.timed || r.ts >= p.start && r.ts <= p.end) &&
		(!p.picky || p.wanted[r.kind]) &&
		(p.scope == 0 || r.session == p.scope || r.flow == p.scope) &&
		(p.id == "" || r.id == p.id) && (p.request == "" || r.request == p.request) && (p.parent == "" ||
		r.parent == p.parent) &&
		(!p.others[r.kind] || r.tool == p.tool || r.tool == "" && p.tool == anyTool)
}

// next returns the numbers of up to n matches after a position and skip matches.
func (s *Store) next(ctx context.Context, p *queryPlan, at int64, skip, n int) (seqs []int64, err error) {
	err = walkFrom(ctx, s.reads, p.after(at), skip, func(r *row) bool {
		seqs = append(seqs, r.seq)
		return len(seqs) < n
	})
	return seqs, err
}
