package sqlite

import (
	"context"
	"database/sql"

	"mcpproxy/internal/ledger"
)

// maxPieces is the maximum number of pieces in a full block. A block that was written record by
// record has more pieces and is repacked.
const maxPieces = 3 * blockSize / pieceRecords

// eachPiece calls f with the pieces that begin at from or later and before to.
func (w *writer) eachPiece(ctx context.Context, from, to int64, f func(*piece) error) error {
	rows, err := w.readPieces.QueryContext(ctx, from, to)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var p piece
		if err := rows.Scan(&p.first, &p.prev, &p.rows, &p.bodies, &p.beside); err != nil {
			return err
		}
		if err := f(&p); err != nil {
			return err
		}
	}
	return rows.Err()
}

// eachRow calls f with the rows of those pieces.
func (w *writer) eachRow(ctx context.Context, from, to int64, f func(*row)) error {
	return w.eachPiece(ctx, from, to, func(p *piece) error {
		eachRow(p.first, string(p.rows), func(r *row) bool { f(r); return true })
		return nil
	})
}

// readBlock computes a block from its records.
func (w *writer) readBlock(ctx context.Context, number int64) (*block, error) {
	b := &block{}
	err := w.eachPiece(ctx, number*blockSize, (number+1)*blockSize, func(p *piece) error {
		b.pieces++
		eachRow(p.first, string(p.rows), func(r *row) bool { b.add(r); return true })
		return nil
	})
	return b, err
}

// putBlock writes a block.
func (w *writer) putBlock(ctx context.Context, number int64, b *block, terms []byte) error {
	_, err := w.setBlock.ExecContext(ctx, number, b.low, b.high, b.highID, b.counts(), orNull(terms))
	return err
}

// repack rewrites the pieces of a block.
func (w *writer) repack(ctx context.Context, number int64) error {
	var all []piece
	from, to := number*blockSize, (number+1)*blockSize
	err := w.eachPiece(ctx, from, to, func(p *piece) error {
		all = append(all, *p)
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := w.dropPieces.ExecContext(ctx, from, to); err != nil {
		return err
	}
	for i := range all {
		if err := w.move(ctx, &all[i], from); err != nil {
			return err
		}
	}
	if w.pack.n == 0 {
		return nil
	}
	return w.insert(ctx)
}

// move moves the records of a piece, starting at one, into other pieces.
func (w *writer) move(ctx context.Context, p *piece, from int64) error {
	sealed, err := p.sealed()
	if err != nil {
		return err
	}
	rows, _ := parts(string(p.rows))
	for i := range sealed {
		seq := p.first + int64(i)
		if seq < from {
			continue
		}
		var line *row
		if i < len(rows) {
			if r, ok := readRow(seq, rows[i]); ok {
				line = &r
			}
		}
		s := &sealed[i]
		if s.Body == nil {
			s = nil
		}
		if err := w.moveTo(ctx, seq, line, s); err != nil {
			return err
		}
	}
	return nil
}

// moveTo adds a record, whose row or body may be missing, to the current piece. If the
// piece is full, or the record does not continue the piece's chain, it begins a new piece.
func (w *writer) moveTo(ctx context.Context, seq int64, r *row, s *ledger.Sealed) error {
	if p := &w.pack; p.n > 0 && (p.full() || p.next() != seq || s == nil || s.Prev != p.last) {
		if err := w.insert(ctx); err != nil {
			return err
		}
	}
	w.pack.add(seq, r, s)
	return nil
}

// closeSegment writes the counts of a full segment and indexes its terms.
func (w *writer) closeSegment(ctx context.Context, number int64) error {
	var terms index
	sum, err := w.readSegment(ctx, number, &terms)
	if err != nil || sum.kinds == nil {
		return err
	}
	if err := w.putSegment(ctx, number, sum); err != nil {
		return err
	}
	for part := range terms {
		if packed := terms.pack(part); packed != nil {
			if _, err := w.setTerms.ExecContext(ctx, number*termParts+int64(part), packed); err != nil {
				return err
			}
		}
	}
	_, err = w.conn.ExecContext(
		ctx,
		"UPDATE blocks SET terms = NULL WHERE block >= ? AND block < ?",
		number*segmentBlocks,
		(number+1)*segmentBlocks,
	)
	return err
}

func (w *writer) putSegment(ctx context.Context, number int64, sum *stretch) error {
	_, err := w.setSegment.ExecContext(ctx, number, sum.low, sum.high, sum.highID, sum.counts())
	return err
}

// readSegment sums the blocks of a segment.
func (w *writer) readSegment(ctx context.Context, number int64, terms *index) (*stretch, error) {
	rows, err := w.conn.QueryContext(
		ctx,
		"SELECT block, low, high, high_id, counts, terms FROM blocks WHERE block >= ? AND block < ?",
		number*segmentBlocks,
		(number+1)*segmentBlocks,
	)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	sum := &stretch{}
	for rows.Next() {
		var block int64
		var counts, packed sql.RawBytes
		one := stretch{kinds: map[int64]int64{}}
		if err := rows.Scan(&block, &one.low, &one.high, &one.highID, &counts, &packed); err != nil {
			return nil, err
		}
		if err := readCounts(counts, func(kind, records int64) { one.kinds[kind] = records }); err != nil {
			return nil, err
		}
		sum.add(&one)
		terms.add(block, unpackTerms(packed))
	}
	return sum, rows.Err()
}

// recountAll rebuilds every block and segment.
func (w *writer) recountAll(ctx context.Context) error {
	for _, table := range []string{"blocks", "segments", "terms"} {
		if _, err := w.conn.ExecContext(ctx, "DELETE FROM "+table); err != nil {
			return err
		}
	}
	var low, high sql.NullInt64
	err := w.conn.QueryRowContext(ctx, "SELECT (SELECT min(first) FROM pieces), (SELECT max(first) FROM pieces)").
		Scan(&low, &high)
	if err != nil || !low.Valid {
		return err
	}
	last, err := w.lastRecord(ctx)
	if err != nil {
		return err
	}
	for n := blockOf(low.Int64); n <= blockOf(high.Int64); n++ {
		b, err := w.readBlock(ctx, n)
		if err != nil {
			return err
		}
		if b.records > 0 {
			if err := w.fill(ctx, map[int64]*block{n: b}, last.Seq); err != nil {
				return err
			}
		}
	}
	return nil
}
