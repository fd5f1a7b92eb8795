package match

import (
	"iter"
	"slices"
	"unicode/utf8"

	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/text"
)

// letters are the letters and digits of a view, and where they stand in it. They
// are read once, however often the view is compared.
type letters struct {
	view     *text.View
	size     int // bytes of the view's text up to the last that was read
	skeleton []byte
	places   []int32 // in the view's text, of each byte of the skeleton
	costs    []float32
}

// cost is the information of each byte of the skeleton. It is not to be written to.
func (l *letters) cost() []float32 {
	if l.costs == nil {
		l.costs = model.Cost(l.skeleton, make([]float32, 0, len(l.skeleton)))
	}
	return l.costs
}

// lettersOf reads the first limit bytes of a view.
func lettersOf(v *text.View, limit int) *letters {
	return lettersIn(v, []extent{{0, min(len(v.Text), limit)}})
}

// allLetters reads all of a view.
func allLetters(v *text.View) *letters { return lettersOf(v, len(v.Text)) }

// lettersIn reads some stretches of a view, as if nothing stood between them.
func lettersIn(v *text.View, kept []extent) *letters {
	size := 0
	for _, s := range kept {
		size += s.end - s.start
	}
	l := &letters{view: v, skeleton: make([]byte, 0, size), places: make([]int32, 0, size)}
	for _, s := range kept {
		from := len(l.places)
		l.skeleton = text.AppendLetters(l.skeleton, v.Text[s.start:s.end], &l.places)
		for i := from; s.start > 0 && i < len(l.places); i++ {
			l.places[i] += int32(s.start)
		}
		l.size = s.end
	}
	return l
}

// freshLetters reads what is new in a view, with what stands around it: not the
// inside of long stretches that stand in another piece as they are.
func freshLetters(v *text.View) *letters {
	return lettersIn(v, without(len(v.Text), maxCopied, v.Copied()))
}

// extent is a part of a text.
type extent struct{ start, end int }

// without are the stretches of a text of n bytes without the inside of those that
// are long, but for margin bytes on either side.
func without(n, margin int, long iter.Seq2[int, int]) []extent {
	out := []extent{{0, n}}
	for start, end := range long {
		if last := &out[len(out)-1]; end-start >= 3*margin && start+margin >= last.start {
			last.end = start + margin
			out = append(out, extent{end - margin, n})
		}
	}
	return out
}

const (
	// maxCopied is how much of a text that is read in another place too is read
	// beside what is not, on either side, in bytes.
	maxCopied = 256
	// maxShared is that of a text which is a piece by itself.
	maxShared = 512
)

// within are the letters that stand in [start, end) of the view's text.
func (l *letters) within(start, end int) (from, to int) {
	from, _ = slices.BinarySearch(l.places, int32(max(start, 0)))
	to, _ = slices.BinarySearch(l.places, int32(max(end, 0)))
	return from, to
}

// written is where skeleton[from:to] stands in the view's text.
func (l *letters) written(from, to int) (start, end int) {
	last := int(l.places[to-1])
	_, size := utf8.DecodeRuneInString(l.view.Text[last:])
	return int(l.places[from]), last + size
}
