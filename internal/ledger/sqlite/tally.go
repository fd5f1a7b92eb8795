package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// rowCounts sums rows for the stored counts.
type rowCounts struct {
	kinds  map[int64]*kindTally
	scopes map[int64]int64
	blocks map[int64]*block
}

type kindTally struct{ records, last int64 }

// blockSize is the number of records in a block, and segmentBlocks the number of blocks in a
// segment.
const (
	blockSize     = 512
	segmentBlocks = 64
)

// blockOf returns the block of a record.
func blockOf(seq int64) int64 { return seq / blockSize }

// segmentOf returns the segment of a block.
func segmentOf(block int64) int64 { return block / segmentBlocks }

// stretch is the summary of a block or segment.
type stretch struct {
	low, high int64 // times, in microseconds since 1970
	highID    string
	kinds     map[int64]int64 // records by kind
}

// add adds the records of another stretch.
func (s *stretch) add(o *stretch) {
	if s.kinds == nil {
		*s = stretch{o.low, o.high, o.highID, maps.Clone(o.kinds)}
		return
	}
	s.low = min(s.low, o.low)
	s.high = max(s.high, o.high)
	s.highID = max(s.highID, o.highID)
	for k, n := range o.kinds {
		s.kinds[k] += n
	}
}

// block is a row of the table blocks.
type block struct {
	stretch
	records int
	terms   []term
	scopes  map[int64]bool // scopes whose terms are included
	pieces  int            // number of its pieces, as far as the writer knows
}

func newTally() *rowCounts {
	return &rowCounts{map[int64]*kindTally{}, map[int64]int64{}, map[int64]*block{}}
}

// add adds a row.
func (t *rowCounts) add(r *row) {
	t.count(r)
	b := t.blocks[blockOf(r.seq)]
	if b == nil {
		b = &block{}
		t.blocks[blockOf(r.seq)] = b
	}
	b.add(r)
}

// count adds a row to the counts of kinds and scopes, but not to those of blocks.
func (t *rowCounts) count(r *row) {
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
}

// add adds a record.
func (b *block) add(r *row) {
	if b.kinds == nil {
		b.stretch = stretch{r.ts, r.ts, r.id, map[int64]int64{}}
		b.scopes = map[int64]bool{}
	}
	b.records++
	b.low = min(b.low, r.ts)
	b.high = max(b.high, r.ts)
	b.highID = max(b.highID, r.id)
	b.kinds[r.kind]++
	b.terms = r.terms(b.terms)
	for _, s := range [...]int64{r.session, r.flow} {
		if s != 0 && !b.scopes[s] {
			b.scopes[s] = true
			b.terms = append(b.terms, scopeTerm(s))
		}
	}
}

// join adds the records of another part of the block.
func (b *block) join(o *block) {
	b.stretch.add(&o.stretch)
	b.records = b.records + o.records
	b.pieces = b.pieces + o.pieces
	b.terms = append(b.terms, o.terms...)
	maps.Copy(b.scopes, o.scopes)
}

// counts encodes the kind counts for the file.
func (s *stretch) counts() []byte {
	out, before := []byte{}, int64(0)
	for _, k := range slices.Sorted(maps.Keys(s.kinds)) {
		out = binary.AppendVarint(out, k-before)
		out = binary.AppendVarint(out, s.kinds[k])
		before = k
	}
	return out
}

// readCounts calls f with each kind and its number of records.
func readCounts(counts []byte, f func(kind, records int64)) error {
	kind := int64(0)
	for left := (fields[[]byte]{rest: counts}); len(left.rest) > 0; {
		kind += left.number()
		records := left.number()
		if left.bad {
			return errors.New("the counts of a block cannot be read")
		}
		f(kind, records)
	}
	return nil
}

// count adds the sums to the stored counts except those of blocks.
func (w *writer) count(ctx context.Context, t *rowCounts) error {
	if err := w.countAll(ctx, t.kinds); err != nil {
		return err
	}
	for scope, n := range t.scopes {
		if _, err := w.countScope.ExecContext(ctx, n, scope); err != nil {
			return err
		}
	}
	return nil
}

// countAll adds to the stored counts of kinds, several in one statement.
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

// discount subtracts the sums from the stored counts except those of blocks.
func (w *writer) discount(ctx context.Context, t *rowCounts) error {
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
