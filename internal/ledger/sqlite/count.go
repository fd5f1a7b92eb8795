package sqlite

import (
	"context"
	"math"

	"mcpproxy/internal/ledger"
)

// cell is how many matching records of a kind an hour has.
type cell struct{ hour, kind, records int64 }

// uncut is a filter without what only pages have.
func uncut(q ledger.Filter) ledger.Filter {
	q.Before, q.After, q.OldestFirst = "", "", true
	return q
}

// Count returns how many records match.
func (s *Store) Count(ctx context.Context, q ledger.Filter) (int, error) {
	return s.CountUpTo(ctx, q, math.MaxInt)
}

// CountUpTo is Count that may stop at most. Only filters by session, request and
// parent need to count one by one; for the others the file keeps counts.
func (s *Store) CountUpTo(ctx context.Context, q ledger.Filter, most int) (int, error) {
	p, err := s.plan(ctx, uncut(q))
	if err != nil || p.empty {
		return 0, err
	}
	switch {
	case p.narrow():
		return s.countNarrow(ctx, p, most)
	case p.timed:
		cells, err := s.cells(ctx, p)
		sum := int64(0)
		for _, c := range cells {
			sum += c.records
		}
		return int(sum), err
	case p.picky:
		sum := int64(0)
		for _, k := range p.kinds {
			sum += k.records
		}
		return int(sum), nil
	}
	var n int
	err = s.db.QueryRowContext(ctx, "SELECT coalesce(sum(records), 0) FROM kinds").Scan(&n)
	return n, err
}

func (s *Store) countNarrow(ctx context.Context, p *plan, most int) (n int, err error) {
	if p.scope != 0 && p.request == "" && p.parent == "" && !p.timed && !p.picky {
		err = s.db.QueryRowContext(ctx, "SELECT records FROM scopes WHERE scope = ?", p.scope).Scan(&n)
		return n, err
	}
	query, args := p.narrowed("seq", p.begin())
	err = s.db.QueryRowContext(ctx, "SELECT count(*) FROM ("+query+" LIMIT ?)", append(args, most)...).Scan(&n)
	return n, err
}

// cells counts by hour and kind.
func (s *Store) cells(ctx context.Context, p *plan) ([]cell, error) {
	const columns = "(ts - ((ts % 3600000000) + 3600000000) % 3600000000) / 3600000000, kind, count(*)"
	if p.narrow() {
		query, args := p.narrowed("seq, ts, kind", p.begin())
		return s.readCells(ctx, nil, "SELECT "+columns+" FROM ("+query+") GROUP BY 1, 2", args...)
	}
	first, last := int64(math.MinInt64), int64(math.MaxInt64)
	var cells []cell
	if p.timed {
		// Whole hours are counted already; the records of the hours at both ends are not.
		edges := []span{{p.start, p.end}}
		if p.start != math.MinInt64 {
			first = hourOf(p.start-1) + 1
		}
		if p.end != math.MaxInt64 {
			last = hourOf(p.end+1) - 1
		}
		if first <= last {
			edges = edges[:0]
			if p.start != math.MinInt64 && p.start < first*hour {
				edges = append(edges, span{p.start, first*hour - 1})
			}
			if p.end != math.MaxInt64 && p.end >= (last+1)*hour {
				edges = append(edges, span{(last + 1) * hour, p.end})
			}
		}
		for _, e := range edges {
			more, err := s.readCells(ctx, p, "SELECT "+columns+` FROM records NOT INDEXED
				WHERE seq >= (SELECT min(block) * 1024 FROM blocks WHERE high >= ?1 AND low <= ?2)
				AND seq < (SELECT max(block) * 1024 + 1024 FROM blocks WHERE high >= ?1 AND low <= ?2)
				AND ts BETWEEN ?1 AND ?2 GROUP BY 1, 2`, e.low, e.high)
			if err != nil {
				return nil, err
			}
			cells = append(cells, more...)
		}
	}
	whole, err := s.readCells(ctx, p, "SELECT hour, kind, records FROM hours WHERE hour BETWEEN ? AND ?", first, last)
	return append(cells, whole...), err
}

// readCells runs a query for cells, and leaves out the kinds that p does not want.
func (s *Store) readCells(ctx context.Context, p *plan, query string, args ...any) ([]cell, error) {
	var wanted map[int64]bool
	if p != nil && p.picky {
		wanted = map[int64]bool{}
		for _, k := range p.kinds {
			wanted[k.number] = true
		}
	}
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []cell
	for rows.Next() {
		var c cell
		if err := rows.Scan(&c.hour, &c.kind, &c.records); err != nil {
			return nil, err
		}
		if wanted == nil || wanted[c.kind] {
			out = append(out, c)
		}
	}
	return out, rows.Err()
}
