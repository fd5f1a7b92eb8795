package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Append seals and stores records.
func (s *Store) Append(ctx context.Context, records []*mcpproxy.Record) error {
	sealed, err := ledger.PrepareAll(records)
	if err != nil {
		return err
	}
	return s.AppendPrepared(ctx, records, sealed)
}

// AppendPrepared stores prepared records.
func (s *Store) AppendPrepared(ctx context.Context, records []*mcpproxy.Record, sealed []ledger.Sealed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer == nil {
		return errors.New("the activity log is not open for writing")
	}
	if len(records) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// A batch is short. A cancellable context would cost a goroutine for every statement, which is
	// as expensive as the statement.
	ctx = context.WithoutCancel(ctx)
	err := s.writer.transaction(ctx, func() error { return s.writer.append(ctx, records, sealed, time.Now()) })
	s.journal.grown(sealed)
	if err == nil {
		s.heads.Move(s.writer.head) // the new end is on disk
	}
	return err
}

func (w *writer) append(ctx context.Context, records []*mcpproxy.Record, all []ledger.Sealed, now time.Time) error {
	at, sum := w.head, newTally()
	w.ids.age()
	for i, r := range records {
		sealed := &all[i]
		sealed.Follow(at.Hash)
		at.Seq = at.Seq + 1
		at.ID = r.ID
		at.Hash = sealed.Hash
		at.Count = at.Count + 1
		line, err := w.row(ctx, at.Seq, r)
		if err == nil {
			err = w.isNew(ctx, r.ID)
		}
		if err == nil {
			sum.add(&line)
			err = w.put(ctx, &line, sealed, sum)
		}
		if err != nil {
			return fmt.Errorf("record %s: %w", r.ID, err)
		}
	}
	if err := w.flush(ctx, sum); err != nil {
		return err
	}
	if err := w.count(ctx, sum); err != nil {
		return err
	}
	if err := w.fill(ctx, sum.blocks, at.Seq); err != nil {
		return err
	}
	if err := w.end(ctx, at, now); err != nil {
		return err
	}
	if at.Seq-w.marked.Seq >= ledger.CheckpointEvery || now.Sub(w.marked.Time) >= ledger.CheckpointAfter {
		return w.mark(ctx, ledger.ReasonInterval, now)
	}
	return nil
}

// put adds a record to the current piece and writes the piece when it is full.
func (w *writer) put(ctx context.Context, r *row, s *ledger.Sealed, sum *rowCounts) error {
	w.pack.add(r.seq, r, s)
	if !w.pack.full() {
		return nil
	}
	return w.flush(ctx, sum)
}

// flush writes the current piece.
func (w *writer) flush(ctx context.Context, sum *rowCounts) error {
	if w.pack.n == 0 {
		return nil
	}
	if b := sum.blocks[blockOf(w.pack.first)]; b != nil {
		b.pieces++
	}
	return w.insert(ctx)
}

func (w *writer) insert(ctx context.Context) error {
	p := &w.pack
	_, err := w.addPiece.ExecContext(ctx, p.first, p.prev, p.rows, p.bodies, p.beside)
	p.clear()
	return err
}

// row returns the row of a record.
func (w *writer) row(ctx context.Context, seq int64, r *mcpproxy.Record) (line row, err error) {
	line = row{
		seq:     seq,
		id:      r.ID,
		ts:      r.Timestamp.UnixMicro(),
		request: r.RequestID,
		parent:  r.ParentID,
	}
	if line.kind, line.tool, err = w.kind(ctx, r); err != nil {
		return line, err
	}
	if line.session, err = w.scope(ctx, r.SessionID); err != nil {
		return line, err
	}
	line.flow, err = w.scope(ctx, r.FlowSessionID)
	return line, err
}

// fill adds rows to the blocks. A full block gets its terms and is repacked into pieces of the
// usual size. A full segment is closed.
func (w *writer) fill(ctx context.Context, blocks map[int64]*block, last int64) error {
	for number := range blocks {
		b, err := w.filled(ctx, number, blocks[number])
		if err != nil {
			return err
		}
		var packed []byte
		if full := last >= (number+1)*blockSize-1; full {
			if packed = packTerms(b.terms); b.pieces > maxPieces {
				if err := w.repack(ctx, number); err != nil {
					return err
				}
			}
			delete(w.filling, number)
		} else {
			w.filling[number] = b
		}
		if err := w.putBlock(ctx, number, b, packed); err != nil {
			return err
		}
	}
	for number := range blocks {
		if (number+1)%segmentBlocks == 0 && last >= (number+1)*blockSize-1 {
			if err := w.closeSegment(ctx, segmentOf(number)); err != nil {
				return err
			}
		}
	}
	return nil
}

// filled returns a block with the added rows.
func (w *writer) filled(ctx context.Context, number int64, more *block) (*block, error) {
	switch b := w.filling[number]; {
	case b != nil:
		b.join(more)
		return b, nil
	case number*blockSize > w.head.Seq:
		return more, nil // the whole block is new
	}
	return w.readBlock(ctx, number) // the block's current content
}

// ids records which ids exist. A new id is usually greater than all earlier ones. It stores the
// newest ids individually.
type ids struct {
	older          string // greatest id that is not in the maps:
	newest, before map[string]bool
}

// idsKnown is the number of ids in each of two generations.
const idsKnown = 2048

// isNew returns ErrDuplicate if a record with the id exists. Otherwise it counts the id as existing from now on.
func (w *writer) isNew(ctx context.Context, id string) error {
	if w.ids == nil {
		w.ids = &ids{newest: map[string]bool{}}
		err := w.conn.QueryRowContext(ctx, `SELECT max(coalesce((SELECT max(high_id) FROM segments), ''), coalesce((SELECT max(high_id) FROM blocks
			WHERE block >= coalesce((SELECT (max(segment) + 1) * 64 FROM segments), 0)), ''))`).
			Scan(&w.ids.older)
		if err != nil {
			return err
		}
	}
	known := w.ids
	there := known.newest[id] || known.before[id]
	if !there && id <= known.older {
		found, err := lookUp(ctx, w.conn, id)
		if err != nil {
			return err
		}
		there = found > 0
	}
	if there {
		return ledger.ErrDuplicate
	}
	known.newest[id] = true
	return nil
}

// age drops the oldest known ids. The ids of a batch must stay until the batch is written.
func (k *ids) age() {
	if k == nil || len(k.newest) < idsKnown {
		return
	}
	for old := range k.before {
		k.older = max(k.older, old)
	}
	k.before, k.newest = k.newest, make(map[string]bool, idsKnown)
}
