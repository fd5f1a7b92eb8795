package sqlite

import "context"

// skip goes past n matching records after a place without reading them, as far as
// that pays. It returns the place that was reached and how many of n are left.
func (s *Store) skip(ctx context.Context, p *plan, at int64, n int) (place int64, left int, err error) {
	switch {
	case n < blockSize: // they are soon read
		return at, n, nil
	case p.narrow():
		return s.skipNarrow(ctx, p, at, n)
	}
	for wanted, more := p.wanted(), true; more && !p.over(at); {
		in := p.within(p.blockAfter(at))
		seqs, err := s.next(ctx, in, at, blockSize)
		if err != nil || len(seqs) > n {
			return at, n, err
		}
		if at, n, more, err = s.skipWhole(ctx, p, in.last(), n-len(seqs), wanted); err != nil {
			return at, n, err
		}
	}
	return at, n, nil
}

// skipNarrow has the index of a session, request or parent count.
func (s *Store) skipNarrow(ctx context.Context, p *plan, at int64, n int) (int64, int, error) {
	query, args := p.narrowed("seq", at)
	seqs, err := s.numbers(ctx, query+p.order()+" LIMIT 1 OFFSET ?", append(args, n-1)...)
	if err != nil || len(seqs) == 0 {
		return p.last(), 0, err
	}
	return seqs[0], 0, nil
}

// skipWhole goes past blocks of which the file knows how many records match. It
// stops before one that lies partly outside of what was asked for, or has the
// record that is looked for; more is false when there are no more blocks.
func (s *Store) skipWhole(ctx context.Context, p *plan, at int64, n int, wanted map[int64]bool) (place int64, left int, more bool, err error) {
	query := "SELECT block, low, high, counts FROM blocks WHERE block < ? ORDER BY block DESC"
	if p.oldest {
		query = "SELECT block, low, high, counts FROM blocks WHERE block > ? ORDER BY block"
	}
	rows, err := s.db.QueryContext(ctx, query, blockOf(at))
	if err != nil {
		return at, n, false, err
	}
	defer rows.Close()
	for rows.Next() {
		var b storedBlock
		if err := rows.Scan(&b.number, &b.low, &b.high, &b.counts); err != nil {
			return at, n, false, err
		}
		if !p.holds(b) {
			return at, n, true, nil
		}
		here := 0
		err := readCounts(b.counts, func(kind, records int64) {
			if wanted == nil || wanted[kind] {
				here += int(records)
			}
		})
		if err != nil || here > n {
			return at, n, true, err
		}
		at, n = p.within(b.number).last(), n-here
	}
	return at, n, false, rows.Err()
}

// blockAfter is the block in which the first record after a place would be.
func (p *plan) blockAfter(at int64) int64 {
	if p.oldest {
		return blockOf(max(at+1, p.low, 0))
	}
	return blockOf(max(min(at-1, p.high), 0))
}

// within is p for the records of one block.
func (p *plan) within(block int64) *plan {
	in := *p
	in.low, in.high = max(p.low, block*blockSize), min(p.high, block*blockSize+blockSize-1)
	return &in
}

// last is the place after which there is no record.
func (p *plan) last() int64 {
	if p.oldest {
		return p.high
	}
	return p.low
}

// over reports whether no record can come after a place.
func (p *plan) over(at int64) bool {
	if p.oldest {
		return at >= p.high
	}
	return at <= p.low
}

// holds reports whether all of a block comes into question but for its kinds.
func (p *plan) holds(b storedBlock) bool {
	first := b.number * blockSize
	return first >= p.low && first+blockSize-1 <= p.high && (!p.timed || b.low >= p.start && b.high <= p.end)
}
