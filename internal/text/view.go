package text

import (
	"iter"
	"slices"
	"strings"
)

// View is one way of reading a part: as it is, or decoded.
type View struct {
	Part int    // index into Document.Parts
	How  string // the encodings that were undone, outermost first, such as "base64, escapes"; "" for the text itself
	Text string

	from  *View // the view that this one was decoded from; nil for the text itself
	depth int   // number of encodings undone
	marks []mark
	seam  []Span // for a view that joins parts: the source of each mark's stretch
}

// Span is a stretch of a part's text, in bytes.
type Span struct{ Part, Start, End int }

// mark maps a stretch of a view's text to its source. The stretch extends to the next mark. A stretch with width 0 is
// a copy of as many bytes of its source. Any other stretch corresponds as a whole to width bytes.
type mark struct{ at, source, width int }

// Spans returns the stretches of the parts from which Text[start:end] was read, in order.
func (v *View) Spans(start, end int) []Span {
	for v.from != nil {
		start, end = v.source(start, end)
		v = v.from
	}
	if v.seam == nil {
		return []Span{{v.Part, start, end}}
	}
	var out []Span
	for i, piece := range v.seam {
		at, length := v.marks[i].at, piece.End-piece.Start
		from, to := max(start-at, 0), min(end-at, length)
		if from < to {
			out = append(out, Span{piece.Part, piece.Start + from, piece.Start + to})
		}
	}
	if len(out) == 0 { // between two pieces
		return []Span{{v.Part, v.seam[0].End, v.seam[0].End}}
	}
	return out
}

// First returns the first of [View.Spans].
func (v *View) First(start, end int) Span {
	for v.from != nil {
		start, end = v.source(start, end)
		v = v.from
	}
	if v.seam == nil {
		return Span{v.Part, start, end}
	}
	return v.Spans(start, end)[0]
}

// Copied yields the stretches of v's text that are copies of the text it was decoded from, in order. It yields none
// for the text itself.
func (v *View) Copied() iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for i, m := range v.marks {
			end := len(v.Text)
			if i+1 < len(v.marks) {
				end = v.marks[i+1].at
			}
			if v.from == nil || m.width > 0 || v.Text[m.at:end] != v.from.Text[m.source:m.source+end-m.at] {
				continue
			}
			if !yield(m.at, end) {
				return
			}
		}
	}
}

// Mirrored reports whether v was reversed or decoded from rot13.
func (v *View) Mirrored() bool {
	return strings.Contains(v.How, rot13How) || strings.Contains(v.How, reversedHow)
}

// ClosedUp reports whether v had its separators between letters removed.
func (v *View) ClosedUp() bool { return strings.Contains(v.How, spacingHow) }

// source maps Text[start:end] to the text that v was decoded from.
func (v *View) source(start, end int) (int, int) {
	if len(v.marks) == 0 {
		return 0, len(v.from.Text)
	}
	first, last := v.mark(start), v.mark(max(end-1, start))
	from, to := first.source, last.source+last.width
	if first.width == 0 {
		from += start - first.at
	}
	if last.width == 0 {
		to = last.source + end - last.at
	}
	return from, to
}

// mark returns the mark whose stretch contains byte at of v's text.
func (v *View) mark(at int) mark { return v.marks[v.index(at)] }

func (v *View) index(at int) int {
	i, _ := slices.BinarySearchFunc(v.marks, at+1, func(m mark, at int) int { return m.at - at })
	return max(i-1, 0)
}

// builder builds the text of a view and records the sources of its stretches.
type builder struct {
	text  []byte
	marks []mark
}

// copy adds s, which begins at byte source of the source text.
func (b *builder) copy(s string, source int) {
	n := len(b.marks)
	if s != "" && (n == 0 || b.marks[n-1].width > 0 || b.marks[n-1].source-b.marks[n-1].at != source-len(b.text)) {
		b.marks = append(b.marks, mark{len(b.text), source, 0})
	}
	b.text = append(b.text, s...)
}

// put adds s, which was decoded from width bytes of the source text that begin at byte source.
func (b *builder) put(s string, source, width int) {
	if s != "" && width > 0 {
		b.marks = append(b.marks, mark{len(b.text), source, width})
		b.text = append(b.text, s...)
	}
}

// view returns the view that b built from the text of v.
func (b *builder) view(v *View, how string) *View {
	return &View{
		Part:  v.Part,
		How:   how,
		Text:  string(b.text),
		from:  v,
		marks: b.marks,
	}
}
