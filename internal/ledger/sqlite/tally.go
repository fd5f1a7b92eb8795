package sqlite

import "context"

// row is what the counts need of a record.
type row struct{ seq, ts, kind, session, flow int64 }

// tally adds up rows for the counts.
type tally struct {
	kinds  map[int64]*kindTally
	hours  map[[2]int64]int64 // by hour and kind
	scopes map[int64]int64
	blocks map[int64]*span
}

type kindTally struct{ records, last int64 }

// span is a stretch of time, in microseconds since 1970.
type span struct{ low, high int64 }

func newTally() *tally {
	return &tally{map[int64]*kindTally{}, map[[2]int64]int64{}, map[int64]int64{}, map[int64]*span{}}
}

func (t *tally) add(r row) {
	k := t.kinds[r.kind]
	if k == nil {
		k = &kindTally{}
		t.kinds[r.kind] = k
	}
	k.records, k.last = k.records+1, max(k.last, r.seq)
	t.hours[[2]int64{hourOf(r.ts), r.kind}]++
	if r.session != 0 {
		t.scopes[r.session]++
	}
	if r.flow != 0 && r.flow != r.session {
		t.scopes[r.flow]++
	}
	b := t.blocks[blockOf(r.seq)]
	if b == nil {
		b = &span{r.ts, r.ts}
		t.blocks[blockOf(r.seq)] = b
	}
	b.low, b.high = min(b.low, r.ts), max(b.high, r.ts)
}

// count adds a tally to the counts of the file (sign 1) or takes it off (sign -1).
func (w *writer) count(ctx context.Context, t *tally, sign int64) error {
	for k, n := range t.kinds {
		last := n.last
		if sign < 0 {
			last = 0
		}
		if _, err := w.countKind.ExecContext(ctx, sign*n.records, last, k); err != nil {
			return err
		}
	}
	for at, n := range t.hours {
		if _, err := w.countHour.ExecContext(ctx, at[0], at[1], sign*n); err != nil {
			return err
		}
	}
	for scope, n := range t.scopes {
		if _, err := w.countScope.ExecContext(ctx, sign*n, scope); err != nil {
			return err
		}
	}
	if sign < 0 {
		return nil // the blocks of what was removed are removed with it
	}
	for block, b := range t.blocks {
		if _, err := w.stretchBlock.ExecContext(ctx, block, b.low, b.high); err != nil {
			return err
		}
	}
	return nil
}
