package sqlite

import (
	"context"
	"math"

	"mcpproxy/internal/ledger"
)

// uncut returns a filter without the fields that only apply to pages.
func uncut(q ledger.Filter) ledger.Filter {
	q.Before = ""
	q.After = ""
	q.OldestFirst = true
	return q
}

// Count returns how many records match.
func (s *Store) Count(ctx context.Context, q ledger.Filter) (int, error) {
	return s.CountUpTo(ctx, q, math.MaxInt)
}

// CountUpTo counts like Count, but may stop when the count reaches most. For filters without times,
// session, request or parent it uses stored counts.
func (s *Store) CountUpTo(ctx context.Context, q ledger.Filter, most int) (n int, err error) {
	p, err := s.plan(ctx, uncut(q))
	if err != nil || p.empty {
		return 0, err
	}
	switch {
	case p.narrow():
		return s.countNarrow(ctx, p, most)
	case p.timed:
		err = s.eachStretch(ctx, p, 0, func(_, _, records int64) { n += int(records) })
		return n, err
	case p.picky:
		return p.records, nil
	}
	err = s.db.QueryRowContext(ctx, "SELECT coalesce(sum(records), 0) FROM kinds").Scan(&n)
	return n, err
}

func (s *Store) countNarrow(ctx context.Context, p *queryPlan, most int) (n int, err error) {
	if p.scope != 0 && p.request == "" && p.parent == "" && !p.timed && !p.picky {
		err = s.db.QueryRowContext(ctx, "SELECT records FROM scopes WHERE scope = ?", p.scope).Scan(&n)
		return n, err
	}
	err = walk(ctx, s.reads, p, func(*row) bool { n++; return n < most })
	return n, err
}
