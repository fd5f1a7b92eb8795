package sqlite

import (
	"context"
	"math"
)

// span is a stretch of time, in microseconds since 1970.
type span struct{ low, high int64 }

// storedBlock is a block as the file has it.
type storedBlock struct {
	number int64
	span
	counts []byte
}

// eachBlock calls f with a time, a kind, and how many records of that kind the log
// has then, for all that match by time and kind. Blocks that lie within the time
// asked for, and within one multiple of width (microseconds; 0 is without end), are
// taken whole; of the others every record is looked at.
func (s *Store) eachBlock(ctx context.Context, p *plan, width int64, f func(at, kind, records int64)) error {
	wanted := p.wanted()
	var apart []int64
	err := s.readBlocks(ctx, p, func(b storedBlock) error {
		inside := !p.timed || b.low >= p.start && b.high <= p.end
		if !inside || width > 0 && floor(b.low, width) != floor(b.high, width) {
			apart = append(apart, b.number)
			return nil
		}
		return readCounts(b.counts, func(kind, records int64) {
			if wanted == nil || wanted[kind] {
				f(b.low, kind, records)
			}
		})
	})
	if err != nil {
		return err
	}
	return s.eachOf(ctx, p, apart, wanted, f)
}

// floor is the multiple of width that a time lies in.
func floor(ts, width int64) int64 { return (ts - ((ts%width)+width)%width) / width }

// wanted are the kinds that match; nil when all do.
func (p *plan) wanted() map[int64]bool {
	if !p.picky {
		return nil
	}
	out := map[int64]bool{}
	for _, k := range p.kinds {
		out[k.number] = true
	}
	return out
}

func (s *Store) readBlocks(ctx context.Context, p *plan, f func(storedBlock) error) error {
	start, end := int64(math.MinInt64), int64(math.MaxInt64)
	if p.timed {
		start, end = p.start, p.end
	}
	rows, err := s.db.QueryContext(ctx, "SELECT block, low, high, counts FROM blocks WHERE high >= ? AND low <= ?", start, end)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var b storedBlock
		if err := rows.Scan(&b.number, &b.low, &b.high, &b.counts); err != nil {
			return err
		}
		if err := f(b); err != nil {
			return err
		}
	}
	return rows.Err()
}

// eachOf looks at every record of some blocks.
func (s *Store) eachOf(ctx context.Context, p *plan, blocks []int64, wanted map[int64]bool, f func(at, kind, records int64)) error {
	if len(blocks) == 0 {
		return nil
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	stmt, err := conn.PrepareContext(ctx, "SELECT ts, kind FROM records NOT INDEXED WHERE seq >= ? AND seq < ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, b := range blocks {
		rows, err := stmt.QueryContext(ctx, b*blockSize, (b+1)*blockSize)
		if err != nil {
			return err
		}
		for rows.Next() {
			var ts, kind int64
			if err = rows.Scan(&ts, &kind); err != nil {
				break
			}
			if (!p.timed || ts >= p.start && ts <= p.end) && (wanted == nil || wanted[kind]) {
				f(ts, kind, 1)
			}
		}
		if err == nil {
			err = rows.Err()
		}
		rows.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
