package sqlite

import (
	"context"
	"database/sql"
)

// eachStretch calls f with a time, a kind, and how many records of that kind the log
// has then, for all that match by time and kind. Segments and blocks that lie within
// the time asked for, and within one multiple of width (microseconds; 0 is without
// end), are taken whole; of the others what is in them is looked at.
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

// eachWhole takes the stretches of a query that can be taken whole, and returns the
// numbers of those in which some may match.
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

// floor is the multiple of width that a time lies in.
func floor(ts, width int64) int64 { return (ts - ((ts%width)+width)%width) / width }
