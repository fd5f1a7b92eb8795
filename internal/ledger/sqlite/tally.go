package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// row is what the counts need of a record.
type row struct{ seq, ts, kind, session, flow int64 }

// tally adds up rows for the counts.
type tally struct {
	kinds  map[int64]*kindTally
	scopes map[int64]int64
	blocks map[int64]*block
}

type kindTally struct{ records, last int64 }

// blockSize is how many records share a row of blocks.
const blockSize = 512

// blockOf is the block of a record.
func blockOf(seq int64) int64 { return seq / blockSize }

// block is a row of blocks.
type block struct {
	low, high int64           // times, in microseconds since 1970
	kinds     map[int64]int64 // records by kind
}

func newTally() *tally {
	return &tally{map[int64]*kindTally{}, map[int64]int64{}, map[int64]*block{}}
}

func (t *tally) add(r row) {
	k := t.kinds[r.kind]
	if k == nil {
		k = &kindTally{}
		t.kinds[r.kind] = k
	}
	k.records, k.last = k.records+1, max(k.last, r.seq)
	if r.session != 0 {
		t.scopes[r.session]++
	}
	if r.flow != 0 && r.flow != r.session {
		t.scopes[r.flow]++
	}
	b := t.blocks[blockOf(r.seq)]
	if b == nil {
		b = &block{r.ts, r.ts, map[int64]int64{}}
		t.blocks[blockOf(r.seq)] = b
	}
	b.low, b.high = min(b.low, r.ts), max(b.high, r.ts)
	b.kinds[r.kind]++
}

// counts is the block's kinds as the file has them.
func (b *block) counts() []byte {
	out, before := []byte{}, int64(0)
	for _, k := range slices.Sorted(maps.Keys(b.kinds)) {
		out = binary.AppendVarint(out, k-before)
		out = binary.AppendVarint(out, b.kinds[k])
		before = k
	}
	return out
}

// readCounts calls f with each kind and its number of records.
func readCounts(counts []byte, f func(kind, records int64)) error {
	kind := int64(0)
	for len(counts) > 0 {
		step, n := binary.Varint(counts)
		records, m := binary.Varint(counts[max(n, 0):])
		if n <= 0 || m <= 0 {
			return errors.New("the counts of a block cannot be read")
		}
		kind += step
		f(kind, records)
		counts = counts[n+m:]
	}
	return nil
}

// count adds a tally to the counts of the file.
func (w *writer) count(ctx context.Context, t *tally) error {
	if err := w.countAll(ctx, t.kinds); err != nil {
		return err
	}
	for scope, n := range t.scopes {
		if _, err := w.countScope.ExecContext(ctx, n, scope); err != nil {
			return err
		}
	}
	for number, b := range t.blocks {
		if err := w.stretch(ctx, number, b); err != nil {
			return err
		}
	}
	return nil
}

// countAll adds to the counts of kinds, many at once where there are many.
func (w *writer) countAll(ctx context.Context, kinds map[int64]*kindTally) error {
	const each = 3
	var args []any
	for k, n := range kinds {
		if args = append(args, n.records, n.last, k); len(args) < kindsTogether*each {
			continue
		}
		if _, err := w.countKinds.ExecContext(ctx, args...); err != nil {
			return err
		}
		args = args[:0]
	}
	for ; len(args) > 0; args = args[each:] {
		if _, err := w.countKind.ExecContext(ctx, args[:each]...); err != nil {
			return err
		}
	}
	return nil
}

// discount takes a tally off the counts of the file, all but the blocks.
func (w *writer) discount(ctx context.Context, t *tally) error {
	for k, n := range t.kinds {
		if _, err := w.countKind.ExecContext(ctx, -n.records, 0, k); err != nil {
			return err
		}
	}
	for scope, n := range t.scopes {
		if _, err := w.countScope.ExecContext(ctx, -n, scope); err != nil {
			return err
		}
	}
	return nil
}

// stretch adds to a block, which may be there already.
func (w *writer) stretch(ctx context.Context, number int64, b *block) error {
	var low, high int64
	var counts []byte
	err := w.findBlock.QueryRowContext(ctx, number).Scan(&low, &high, &counts)
	if err == nil {
		b.low, b.high = min(b.low, low), max(b.high, high)
		err = readCounts(counts, func(kind, records int64) { b.kinds[kind] += records })
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return w.putBlock(ctx, number, b)
}

func (w *writer) putBlock(ctx context.Context, number int64, b *block) error {
	_, err := w.setBlock.ExecContext(ctx, number, b.low, b.high, b.counts())
	return err
}
