package value

import (
	"iter"
	"slices"
	"unicode/utf8"

	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/text"
)

// Letters holds the letters and digits of a view (its skeleton), and their positions. It is computed once for all
// comparisons of the view.
type Letters struct {
	View     *text.View
	Size     int // bytes of the view's text that were read
	Skeleton []byte
	places   []int32 // position in the view's text of each byte of the skeleton
	costs    []float32
}

// Cost returns the information of each byte of the skeleton, in bits. The caller must not change it.
func (l *Letters) Cost() []float32 {
	if l.costs == nil {
		l.costs = model.Cost(l.Skeleton, make([]float32, 0, len(l.Skeleton)))
	}
	return l.costs
}

// AllLetters reads a whole view.
func AllLetters(v *text.View) *Letters { return LettersIn(v, []Extent{{0, len(v.Text)}}) }

// EachLetters reads several views completely. Their letters share memory, so the many short values of a document need
// one allocation instead of several each.
func EachLetters(views []*text.View) []Letters {
	size := 0
	for _, v := range views {
		size += len(v.Text)
	}
	all := make([]Letters, len(views))
	skeleton, places := make([]byte, 0, size), make([]int32, 0, size)
	for i, v := range views {
		from := len(skeleton)
		skeleton = text.AppendLetters(skeleton, v.Text, &places)
		to := len(skeleton)
		all[i] = Letters{
			View:     v,
			Size:     len(v.Text),
			Skeleton: skeleton[from:to:to],
			places:   places[from:to:to],
		}
	}
	return all
}

// LettersIn reads some ranges of a view as if they were adjacent.
func LettersIn(v *text.View, kept []Extent) *Letters {
	l := &Letters{}
	l.read(v, kept)
	return l
}

// Read sets l to the letters of the first limit bytes of a view. It reuses the memory of l, so nothing may still refer
// to the letters that l held before.
func (l *Letters) Read(v *text.View, limit int) {
	l.read(v, []Extent{{0, min(len(v.Text), limit)}})
}

// Shed empties l for its next use, and frees its buffers if they have grown large.
func (l *Letters) Shed() {
	*l = Letters{Skeleton: l.Skeleton[:0], places: l.places[:0]}
	table.Shed(&l.Skeleton)
	table.Shed(&l.places)
}

func (l *Letters) read(v *text.View, kept []Extent) {
	size := 0
	for _, s := range kept {
		size += s.End - s.Start
	}
	*l = Letters{
		View:     v,
		Skeleton: slices.Grow(l.Skeleton[:0], size),
		places:   slices.Grow(l.places[:0], size),
	}
	for _, s := range kept {
		from := len(l.places)
		l.Skeleton = text.AppendLetters(l.Skeleton, v.Text[s.Start:s.End], &l.places)
		for i := from; s.Start > 0 && i < len(l.places); i++ {
			l.places[i] += int32(s.Start)
		}
		l.Size = s.End
	}
}

// FreshLetters reads the parts of a view that no other piece contains, with their context. It leaves out the middle of
// long stretches that another piece contains unchanged.
func FreshLetters(v *text.View) *Letters {
	return LettersIn(v, Without(len(v.Text), maxCopied, v.Copied()))
}

// Extent is a range of a text.
type Extent struct{ Start, End int }

// Without returns the ranges that remain of a text of n bytes if the middle of each long stretch is cut out. It keeps
// margin bytes at both ends of each stretch.
func Without(n, margin int, long iter.Seq2[int, int]) []Extent {
	out := []Extent{{0, n}}
	for start, end := range long {
		if last := &out[len(out)-1]; end-start >= 3*margin && start+margin >= last.Start {
			last.End = start + margin
			out = append(out, Extent{end - margin, n})
		}
	}
	return out
}

const (
	// maxCopied is the number of bytes at both ends of a copied stretch that FreshLetters keeps.
	maxCopied = 256
	// MaxShared is the number of bytes at both ends of a text that are kept if the text is also a separate piece.
	MaxShared = 512
)

// Within returns the range of letters in [start, end) of the view's text.
func (l *Letters) Within(start, end int) (from, to int) {
	from, _ = slices.BinarySearch(l.places, int32(max(start, 0)))
	to, _ = slices.BinarySearch(l.places, int32(max(end, 0)))
	return from, to
}

// Written returns the range of skeleton[from:to] in the view's text.
func (l *Letters) Written(from, to int) (start, end int) {
	last := int(l.places[to-1])
	_, size := utf8.DecodeRuneInString(l.View.Text[last:])
	return int(l.places[from]), last + size
}
