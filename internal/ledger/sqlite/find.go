package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math/bits"
	"slices"
)

// lookUp returns the number of the record with an id, or 0.
func lookUp(ctx context.Context, db querier, id string) (seq int64, err error) {
	p := &queryPlan{
		low:   lowest,
		high:  highest,
		id:    id,
		terms: []term{textTerm(termID, id)},
	}
	if id == "" {
		return 0, nil
	}
	err = walk(ctx, db, p, func(r *row) bool { seq = r.seq; return false })
	return seq, err
}

// segmentsAtOnce is how many segments are checked together.
const segmentsAtOnce = 32

// rowFinder searches from segments to blocks to rows, and skips segments and blocks without a
// match.
type rowFinder struct {
	db   querier
	p    *queryPlan
	skip int // matching records to skip first
	f    func(*row) bool
}

// part is a segment or a block that may contain matches.
type part struct {
	number   int64
	matching int // number of matching records, or -1 if unknown
}

// walk calls f with the row of every match, in the plan's order, until f returns false.
func walk(ctx context.Context, db querier, p *queryPlan, f func(*row) bool) error {
	return walkFrom(ctx, db, p, 0, f)
}

// walkFrom returns walk without the first records. It does not read skipped records if stored counts are
// sufficient.
func walkFrom(ctx context.Context, db querier, p *queryPlan, skip int, f func(*row) bool) error {
	w := &rowFinder{db, p, skip, f}
	tail, err := firstOpen(ctx, db)
	if err != nil {
		return err
	}
	steps := []func(context.Context, int64) (bool, error){w.open, w.closed}
	if p.oldest {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if more, err := step(ctx, tail); err != nil || !more {
			return err
		}
	}
	return nil
}

// passed reports whether a part is skipped as a whole.
func (w *rowFinder) passed(in part) bool {
	if in.matching < 0 || in.matching > w.skip {
		return false
	}
	w.skip -= in.matching
	return true
}

// firstOpen returns the first block that is not in a closed segment.
func firstOpen(ctx context.Context, db querier) (block int64, err error) {
	err = eachRowOf(
		ctx,
		db,
		"SELECT coalesce((SELECT max(segment) + 1 FROM segments), 0)",
		nil,
		func(rows *sql.Rows) (bool, error) {
			return true, rows.Scan(&block)
		},
	)
	return block * segmentBlocks, err
}

// eachRowOf calls f with the rows of a query until f returns false.
func eachRowOf(
	ctx context.Context,
	db querier,
	query string,
	args []any,
	f func(*sql.Rows) (more bool, err error),
) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if more, err := f(rows); err != nil || !more {
			return err
		}
	}
	return rows.Err()
}

// order returns the direction in SQL.
func (p *queryPlan) order() string {
	if p.oldest {
		return "ASC"
	}
	return "DESC"
}

// counts returns the column of that name if it is needed. For segments it is not needed if there
// are terms, which are more selective.
func (w *rowFinder) counts(segments bool) string {
	if w.p.picky && !(segments && len(w.p.terms) > 0) || w.skip > 0 && !w.p.narrow() {
		return "counts"
	}
	return "NULL"
}

// open searches the block from and all later blocks.
func (w *rowFinder) open(ctx context.Context, from int64) (more bool, err error) {
	return w.blocks(ctx, max(from, blockOf(w.p.low)), blockOf(w.p.high), ^uint64(0))
}

// closed searches the segments that end before a block.
func (w *rowFinder) closed(ctx context.Context, before int64) (more bool, err error) {
	low, high := segmentOf(blockOf(w.p.low)), min(segmentOf(blockOf(w.p.high)), before/segmentBlocks-1)
	for more = true; more && err == nil && low <= high; {
		var some []part
		last, n := int64(0), 0
		query := fmt.Sprintf(
			"SELECT segment, low, high, %s FROM segments WHERE segment BETWEEN ? AND ? ORDER BY segment %s LIMIT %d",
			w.counts(true),
			w.p.order(),
			segmentsAtOnce,
		)
		err = eachRowOf(ctx, w.db, query, []any{low, high}, func(rows *sql.Rows) (bool, error) {
			var start, end int64
			var counts sql.RawBytes
			if err := rows.Scan(&last, &start, &end, &counts); err != nil {
				return false, err
			}
			n++
			matching, err := w.p.matching(
				start,
				end,
				counts,
				last*segmentBlocks*blockSize,
				(last+1)*segmentBlocks*blockSize-1,
			)
			if matching != 0 {
				some = append(some, part{last, matching})
			}
			return true, err
		})
		if err == nil {
			more, err = w.segments(ctx, some)
		}
		if n < segmentsAtOnce {
			break
		}
		if w.p.oldest {
			low = last + 1
		} else {
			high = last - 1
		}
	}
	return more, err
}

// inStretch reports whether the records of a block or segment may match the filter.
func (p *queryPlan) inStretch(low, high int64, counts []byte) (bool, error) {
	n, err := p.matching(low, high, counts, p.low, p.high)
	return n != 0, err
}

// matching returns the number of matches in a block or segment. It returns -1 if its times, counts
// and record numbers do not determine the number.
func (p *queryPlan) matching(low, high int64, counts []byte, first, last int64) (n int, err error) {
	if p.timed && (high < p.start || low > p.end) {
		return 0, nil
	}
	if counts == nil {
		return -1, nil
	}
	err = readCounts(counts, func(kind, records int64) {
		if !p.picky || p.wanted[kind] {
			n += int(records)
		}
	})
	whole := first >= p.low && last <= p.high && (!p.timed || low >= p.start && high <= p.end)
	if n > 0 && (!whole || p.narrow()) {
		n = -1
	}
	return n, err
}

// segments searches segments.
func (w *rowFinder) segments(ctx context.Context, all []part) (more bool, err error) {
	in := map[int64]uint64{}
	for _, s := range all {
		in[s.number] = ^uint64(0)
	}
	for _, t := range w.p.terms {
		if err := w.narrow(ctx, in, t); err != nil {
			return false, err
		}
	}
	for _, segment := range all {
		s := segment.number
		if blocks := in[s]; blocks != 0 && !w.passed(segment) {
			from, to := s*segmentBlocks+int64(
				bits.TrailingZeros64(blocks),
			), s*segmentBlocks+63-int64(
				bits.LeadingZeros64(blocks),
			)
			more, err := w.blocks(ctx, max(from, blockOf(w.p.low)), min(to, blockOf(w.p.high)), blocks)
			if err != nil || !more {
				return false, err
			}
		}
	}
	return true, nil
}

// narrow keeps only the blocks with a term.
func (w *rowFinder) narrow(ctx context.Context, in map[int64]uint64, t term) error {
	var rows []int64
	for s, blocks := range in {
		if blocks != 0 {
			rows = append(rows, s*termParts+int64(t>>24))
		}
		in[s] = 0
	}
	if len(rows) == 0 {
		return nil
	}
	return eachRowOf(
		ctx,
		w.db,
		"SELECT part, entries FROM terms WHERE part IN ("+list(rows)+")",
		nil,
		func(rows *sql.Rows) (bool, error) {
			var part int64
			var entries sql.RawBytes
			err := rows.Scan(&part, &entries)
			if err == nil {
				in[part/termParts] = blocksOf(entries, t)
			}
			return true, err
		},
	)
}

// blocks searches the selected blocks of a range, given as bits. If not all are selected, the range
// lies in one segment.
func (w *rowFinder) blocks(ctx context.Context, from, to int64, chosen uint64) (more bool, err error) {
	if from > to {
		return true, nil
	}
	var some []part
	terms := "NULL"
	if len(w.p.terms) > 0 {
		terms = "terms"
	}
	query := "SELECT block, low, high, " + w.counts(false) + ", " + terms + " FROM blocks WHERE block BETWEEN ? AND ?"
	if chosen != ^uint64(0) {
		query += " AND block IN (" + list(inMask(from/segmentBlocks, chosen)) + ")"
	}
	query += " ORDER BY block " + w.p.order()
	err = eachRowOf(ctx, w.db, query, []any{from, to}, func(rows *sql.Rows) (bool, error) {
		var block, low, high int64
		var counts, terms sql.RawBytes
		if err := rows.Scan(&block, &low, &high, &counts, &terms); err != nil {
			return false, err
		}
		matching, err := w.p.matching(low, high, counts, block*blockSize, (block+1)*blockSize-1)
		for _, t := range w.p.terms {
			if terms != nil && !hasTerm(terms, t) {
				matching = 0
			}
		}
		if matching != 0 {
			some = append(some, part{block, matching})
		}
		return true, err
	})
	more = true
	for i := 0; i < len(some) && more && err == nil; i++ {
		if !w.passed(some[i]) {
			more, err = w.rows(ctx, some[i].number)
		}
	}
	return more, err
}

// inMask returns the blocks of a segment whose bits are set.
func inMask(segment int64, mask uint64) (blocks []int64) {
	for ; mask != 0; mask &= mask - 1 {
		blocks = append(blocks, segment*segmentBlocks+int64(bits.TrailingZeros64(mask)))
	}
	return blocks
}

// rows searches the rows of a block.
func (w *rowFinder) rows(ctx context.Context, block int64) (more bool, err error) {
	low, high := block*blockSize, min(w.p.high, (block+1)*blockSize-1)
	more = true
	err = eachRowOf(ctx, w.db, rowsQuery+w.p.order(), []any{low, high}, func(rows *sql.Rows) (bool, error) {
		var first int64
		var column sql.RawBytes
		if err := rows.Scan(&first, &column); err != nil {
			return false, err
		}
		more = eachRowOfKinds(
			first,
			string(column),
			w.p.wanted,
			!w.p.oldest,
			func(r *row) bool { return !w.p.matches(r) || w.found(r) },
		)
		return more, nil
	})
	return more, err
}

// found passes a row to the caller.
func (w *rowFinder) found(r *row) (more bool) {
	if w.skip > 0 {
		w.skip--
		return true
	}
	return w.f(r)
}
