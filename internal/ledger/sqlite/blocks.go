package sqlite

import (
	"context"
	"database/sql"
)

// eachStretch calls f with a time, a kind and the number of matching records of that kind, for all
// records that match by time and kind. It uses the totals of segments and blocks that lie
// completely inside the period and inside one multiple of width (microseconds; 0 for no limit). It
// reads the rows of the others.
func (s *Store) eachStretch(ctx context.Context, p *queryPlan, width int64, f func(at, kind, records int64)) error {
	tail, err := firstOpen(ctx, s.reads)
	if err != nil {
		return err
	}
	segments, err := s.eachWhole(ctx, p, width, f, "SELECT segment, low, high, counts FROM segments", nil)
	if err != nil {
		return err
	}
	blocks := "SELECT block, low, high, counts FROM blocks WHERE block >= ?"
	apart, err := s.eachWhole(ctx, p, width, f, blocks, []any{tail})
	if err != nil {
		return err
	}
	for _, n := range segments {
		more, err := s.eachWhole(
			ctx,
			p,
			width,
			f,
			blocks+" AND block < ?",
			[]any{n * segmentBlocks, (n + 1) * segmentBlocks},
		)
		if err != nil {
			return err
		}
		apart = append(apart, more...)
	}
	w := &rowFinder{s.reads, p, 0, func(r *row) bool { f(r.ts, r.kind, 1); return true }}
	for _, b := range apart {
		if _, err := w.rows(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// eachWhole passes on the totals of the stretches that lie completely inside, and returns the
// numbers of those that match partly.
func (s *Store) eachWhole(
	ctx context.Context,
	p *queryPlan,
	width int64,
	f func(at, kind, records int64),
	query string,
	args []any,
) (apart []int64, err error) {
	err = eachRowOf(ctx, s.reads, query, args, func(rows *sql.Rows) (bool, error) {
		var number, low, high int64
		var counts sql.RawBytes
		if err := rows.Scan(&number, &low, &high, &counts); err != nil {
			return false, err
		}
		if ok, err := p.inStretch(low, high, counts); !ok || err != nil {
			return true, err
		}
		inside := !p.timed || low >= p.start && high <= p.end
		if !inside || width > 0 && floor(low, width) != floor(high, width) {
			apart = append(apart, number)
			return true, nil
		}
		return true, readCounts(counts, func(kind, records int64) {
			if !p.picky || p.wanted[kind] {
				f(low, kind, records)
			}
		})
	})
	return apart, err
}

// floor returns the multiple of width that contains a time.
func floor(ts, width int64) int64 { return (ts - ((ts%width)+width)%width) / width }
