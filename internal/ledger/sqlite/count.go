package sqlite

import (
	"context"
	"math"

	"mcpproxy/internal/ledger"
)

// uncut is a filter without what only pages have.
func uncut(q ledger.Filter) ledger.Filter {
	q.Before, q.After, q.OldestFirst = "", "", true
	return q
}

// Count returns how many records match.
func (s *Store) Count(ctx context.Context, q ledger.Filter) (int, error) {
	return s.CountUpTo(ctx, q, math.MaxInt)
}

// CountUpTo is Count that may stop at most. Without times, and without a session,
// request or parent, the file knows the number.
func (s *Store) CountUpTo(ctx context.Context, q ledger.Filter, most int) (n int, err error) {
	p, err := s.plan(ctx, uncut(q))
	if err != nil || p.empty {
		return 0, err
	}
	switch {
	case p.narrow():
		return s.countNarrow(ctx, p, most)
	case p.timed && p.picky && len(p.kinds) <= maxMerged:
		return s.countKinds(ctx, p, most)
	case p.timed && !p.picky:
		return s.countTimes(ctx, p)
	case p.timed:
		err = s.eachBlock(ctx, p, 0, func(_, _, records int64) { n += int(records) })
		return n, err
	case p.picky:
		for _, k := range p.kinds {
			n += int(k.records)
		}
		return n, nil
	}
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

// countKinds counts the records of a few kinds within a time, index entry by index
// entry.
func (s *Store) countKinds(ctx context.Context, p *plan, most int) (int, error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	window, span := p.window(p.begin())
	stmt, err := conn.PrepareContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM records INDEXED BY records_kind WHERE kind = ? AND "+window+
		" AND ts BETWEEN ? AND ? LIMIT ?)")
	if err != nil {
		return 0, err
	}
	defer stmt.Close()
	sum := 0
	for _, k := range p.kinds {
		n := 0
		args := append(append([]any{k.number}, span...), p.start, p.end, most-sum)
		if err := stmt.QueryRowContext(ctx, args...).Scan(&n); err != nil {
			return 0, err
		}
		if sum += n; sum >= most {
			break
		}
	}
	return sum, nil
}

// countTimes counts the records within a time. Between the first block and the last
// all are full, so that of most nothing but their times is looked at.
func (s *Store) countTimes(ctx context.Context, p *plan) (int, error) {
	const inside = "low >= ?1 AND high <= ?2 AND block > (SELECT min(block) FROM blocks) AND block < (SELECT max(block) FROM blocks)"
	var full int
	err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM blocks INDEXED BY blocks_time WHERE "+inside, p.start, p.end).Scan(&full)
	if err != nil {
		return 0, err
	}
	apart, err := s.numbers(ctx, "SELECT block FROM blocks INDEXED BY blocks_time WHERE low <= ?2 AND high >= ?1 AND NOT ("+inside+")", p.start, p.end)
	if err != nil {
		return 0, err
	}
	n := full * blockSize
	err = s.eachOf(ctx, p, apart, nil, func(_, _, records int64) { n += int(records) })
	return n, err
}
