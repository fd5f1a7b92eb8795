package match

import (
	"hash/maphash"
	"iter"
	"strings"

	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

// piece is a text that is compared as a unit: the joined values of a column, a decoded view, or a whole document.
type piece struct {
	skeleton []byte
	segments []segment // the stretches that it consists of, in order
	before   int       // bytes of the skeleton that come from earlier calls
	decoded  string    // the encodings that were undone, outermost first
	field    string    // the innermost name that contains it
	stream   string    // the path of a column, or "" for other pieces
	joined   bool      // the piece joins the values of all columns, as a server may receive them from any tool
	asides   []aside
	turned   bool // the piece is decoded from rot13
	rot13    *rotation
}

// segment is a part of a view that belongs to a piece.
type segment struct {
	at          int            // position of its skeleton in the piece's skeleton
	of          *value.Letters // the letters of the view
	first, last int            // range of these letters
	start, end  int            // range in the view's text
	common      bool           // it consists of a few common words
}

// addValues adds all values of a document to p, without their names. A sender can split a text over members with any
// names.
func addValues(p *piece, doc *text.Document, views []*text.View) {
	for _, v := range views {
		if part := doc.Parts[v.Part]; v.How == "" && part.Kind != text.Key && !addressing(doc.Field(part), part.Text) {
			p.add(value.AllLetters(v))
		}
	}
}

// text returns the text of a segment.
func (s *segment) text() string { return s.of.View.Text[s.start:s.end] }

// cost appends the information of each byte of the piece's skeleton, in bits. The information of a letter depends on
// the two letters before it. It is therefore computed anew only at the beginnings of segments.
func (p *piece) cost(dst []float32) []float32 {
	if p.turned {
		return model.Cost(p.skeleton, dst)
	}
	dst = model.Cost(p.skeleton[:p.before], dst)
	for i := range p.segments {
		s := &p.segments[i]
		from := len(dst)
		dst = append(dst, s.of.Cost()[s.first:s.last]...)
		if from == 0 && s.first == 0 {
			continue
		}
		for k := from; k < min(from+2, len(dst)); k++ {
			at := max(k-2, 0)
			var few [3]float32
			dst[k] = model.Cost(p.skeleton[at:k+1], few[:0])[k-at]
		}
	}
	return dst
}

// spans returns the spans of the document from which skeleton[start:end] was read.
func (p *piece) spans(start, end int) []text.Span {
	var out []text.Span
	for i := range p.segments {
		s := &p.segments[i]
		next := len(p.skeleton)
		if i+1 < len(p.segments) {
			next = p.segments[i+1].at
		}
		from, to := max(start, s.at), min(end, next)
		if from >= to {
			continue
		}
		shift := s.first - s.at
		out = append(out, s.of.View.Spans(s.of.Written(from+shift, to+shift))...)
	}
	return out
}

// queryPieces returns the pieces of arguments. It reads views with equal skeletons once.
func queryPieces(doc *text.Document) []piece {
	var dst []piece
	views := doc.Views()
	plain := plainLetters(doc, views)
	seen := map[uint64]bool{}
	columns := doc.Columns()
	dst = make([]piece, 0, len(columns)+4)
	values := 0
	all, names := joinedPieces(doc, plain)
	for _, c := range columns {
		p := piece{stream: c.Path, field: doc.Field(doc.Parts[c.Parts[0]]), segments: make([]segment, 0, len(c.Parts))}
		if doc.Parts[c.Parts[0]].Kind == text.Key {
			p.stream = ""
		}
		for _, i := range c.Parts {
			if l := plain[i]; l != nil {
				p.add(l)
				values++
			}
		}
		dst = appendPiece(dst, p, seen)
	}
	dst = appendPiece(dst, names, seen)
	dst = appendPiece(dst, all, seen)
	if values > len(columns) || len(columns) > 4 {
		for _, v := range doc.Running() {
			p := piece{asides: asides(doc, v)}
			p.add(value.LettersIn(v, value.Without(len(v.Text), value.MaxShared, whole(doc, v))))
			dst = appendPiece(dst, p, seen)
		}
	}
	return decodedPieces(dst, doc, seen)
}

// plainLetters returns the letters of each part as the document contains it, or nil for a part without such a view.
func plainLetters(doc *text.Document, views []*text.View) []*value.Letters {
	read := make([]*text.View, 0, len(doc.Parts))
	for _, v := range views {
		if v.How == "" {
			read = append(read, v)
		}
	}
	letters := value.EachLetters(read)
	plain := make([]*value.Letters, len(doc.Parts))
	for i, v := range read {
		plain[v.Part] = &letters[i]
	}
	return plain
}

// whole yields the positions of the values in a running text that are also read separately.
func whole(doc *text.Document, v *text.View) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for i, at := range doc.Within(v) {
			if p := doc.Parts[i]; p.Kind == text.Value && !p.Opened() && !yield(at, at+len(p.Text)) {
				return
			}
		}
	}
}

// aside is a span of a text whose weight is lowered.
type aside struct {
	start, end int
	weight     float32
}

// asides returns three kinds of spans in a running text: the names of members, the values that name the destination,
// and the values of a few common words. Such words are usually one of a few possible values of their member, so they
// are as much part of the form as the name.
func asides(doc *text.Document, v *text.View) []aside {
	var out []aside
	for i, at := range doc.Within(v) {
		switch p := doc.Parts[i]; {
		case p.Kind == text.Key:
			out = append(out, aside{at, at + len(p.Text), nothing})
		case addressing(doc.Field(p), p.Text):
			out = append(out, aside{at, at + addressLength(p.Text), nothing})
		case common(p.Text):
			weight := float32(half)
			if !strings.ContainsAny(p.Text, " \t\n") {
				weight = nothing
			}
			out = append(out, aside{at, at + len(p.Text), weight})
		}
	}
	return out
}

// names returns the names of members in a running text. A name is not data, unless it is longer than maxMember.
func names(doc *text.Document, v *text.View) []aside {
	var out []aside
	for i, at := range doc.Within(v) {
		if p := doc.Parts[i]; p.Kind == text.Key && len(p.Text) <= maxMember {
			out = append(out, aside{at, at + len(p.Text), nothing})
		}
	}
	return out
}

// maxMember is the maximum length of a member's name, in bytes.
const maxMember = 64

// common reports whether a value is a common word, or a few words of which at least half are common: a status, a
// kind, an occupation.
func common(s string) bool {
	if len(s) > maxCommon {
		return false
	}
	words, known := 0, 0
	for w := range strings.FieldsSeq(s) {
		words++
		known += b2i(model.Known(text.AppendLetters(nil, w, nil)))
	}
	return words > 0 && words <= maxWords && 2*known >= words
}

const (
	maxCommon = 40 // bytes of a value of common words
	maxWords  = 4
)

// sourcePieces yields the pieces of a result, each of at most limit bytes of text. A piece is valid until the next
// one: its letters are in l, so that they need no new memory.
func sourcePieces(doc *text.Document, limit int, l *value.Letters) iter.Seq[*piece] {
	seen := map[uint64]bool{}
	return func(yield func(*piece) bool) {
		take := func(v *text.View, names []aside) bool {
			p := piece{asides: names}
			l.Read(v, limit)
			p.add(l)
			fresh := appendPiece(nil, p, seen)
			return len(fresh) == 0 || yield(&fresh[0])
		}
		for _, v := range doc.Running() {
			if !take(v, names(doc, v)) {
				return
			}
		}
		for _, v := range doc.Views() {
			if reveals(v) && !v.Mirrored() && v.First(0, 1).Start < limit && !take(v, nil) {
				return
			}
		}
	}
}

// revealed returns the decoded texts of a document.
func revealed(doc *text.Document) []string {
	var out []string
	for _, v := range doc.Views() {
		if reveals(v) && !v.Mirrored() {
			out = append(out, v.Text)
		}
	}
	return out
}

// reveals reports whether a view differs from the text from which it was decoded. Some views differ only in ways that
// skeletons ignore.
func reveals(v *text.View) bool {
	last := v.How[strings.LastIndexByte(v.How, ',')+1:]
	switch strings.TrimSpace(last) {
	case "", "normal form", "spacing", "reversal", "split":
		return false
	}
	return true
}

// add adds the whole view.
func (p *piece) add(l *value.Letters) { p.addPart(l, 0, l.Size) }

// addEnds adds a view that is also a separate piece. Of a long view it adds only the ends, because only they may
// continue in other text.
func (p *piece) addEnds(l *value.Letters) {
	whole := func(yield func(start, end int) bool) { yield(0, l.Size) }
	for _, s := range value.Without(l.Size, value.MaxShared, whole) {
		p.addPart(l, s.Start, s.End)
	}
}

// addPart adds Text[start:end] of a view.
func (p *piece) addPart(l *value.Letters, start, end int) {
	first, last := l.Within(start, end)
	p.segments = append(p.segments, segment{
		at:    len(p.skeleton),
		of:    l,
		first: first,
		last:  last,
		start: start,
		end:   end,
	})
	if len(p.skeleton) == 0 {
		p.skeleton = l.Skeleton[first:last:last]
		return
	}
	p.skeleton = append(p.skeleton, l.Skeleton[first:last]...)
}

var seed = maphash.MakeSeed()

func appendPiece(dst []piece, p piece, seen map[uint64]bool) []piece {
	if len(p.skeleton) == 0 {
		return dst
	}
	h := maphash.Bytes(seed, p.skeleton)
	if seen[h] && p.stream == "" && !p.joined {
		return dst
	}
	seen[h] = true
	p.rot13 = new(rotation)
	return append(dst, p)
}

// disguises returns the decoding steps in how that undo an encoding. It leaves out "normal form" and "split", which
// undo no encoding.
func disguises(how string) string {
	var out []string
	for layer := range strings.SplitSeq(how, ", ") {
		if layer != "normal form" && layer != "split" {
			out = append(out, layer)
		}
	}
	return strings.Join(out, ", ")
}
