package match

import (
	"slices"
	"strings"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/flow/value"
)

// The weights of bytes. The information of a byte is multiplied by its weight.
const (
	nothing = 0   // common phrases, text that the agent may have from elsewhere, names of members
	half    = 0.5 // references, and single words
	all     = 1
)

// weigh returns the weight of each byte of a piece's skeleton. Only the bytes in the runs of asked are examined. The
// weight is zero for common phrases, for text that the agent may have from elsewhere, and for text that only names the
// destination. References and single words have half the weight. They deserve less, because many records share them.
// They do not lose all of it, because a sender can make any text look like them. Secrets are recognised in other ways.
func (x *Index) weigh(p *piece, g *grams, asked []run) []float32 {
	w := x.work().weights(len(p.skeleton))
	x.weighStops(w, g, asked, x.work().sums())
	x.weighPublic(w, g, asked)
	p.weighLooks(w, asked)
	return w
}

// weighLooks lowers the weight of references, names of members, single words, and text that only names the
// destination.
func (p *piece) weighLooks(w []float32, asked []run) {
	for i := range p.segments {
		m := marker{weights: w, segment: &p.segments[i]}
		t := m.segment.text()
		m.setReferences(t, asked)
		m.setAll(p.asides)
		if m.segment.common {
			m.set(0, len(t), half)
		}
		if p.decoded == "" && addressing(p.field, t) {
			m.set(0, addressLength(t), nothing)
		}
	}
}

// setReferences lowers the weight of references in the given runs, which are sorted.
func (m *marker) setReferences(t string, asked []run) {
	s := m.segment
	next, _ := slices.BinarySearchFunc(asked, s.at+1, func(r run, at int) int { return r.end - at })
	seen := 0 // bytes of t that have been examined
	for _, r := range asked[next:] {
		from, to, ok := s.stretch(r)
		if !ok {
			return
		}
		from = max(from, seen)
		references(t[from:max(from, to)], func(start, end int) { m.set(from+start, from+end, half) })
		seen = max(to, seen)
	}
}

// stretch returns the part of a segment's text from which a run of the piece's skeleton was read. The part consists of
// whole words, and of the text before them that is needed to classify them.
func (s *segment) stretch(r run) (from, to int, ok bool) {
	first, last := max(r.start, s.at)-s.at+s.first, min(r.end-s.at+s.first, s.last)
	if first >= last {
		return 0, 0, false
	}
	t := s.text()
	from, to = s.of.Written(first, last)
	from, to = max(from-s.start-maxCopyright-len("copyright"), 0), min(to-s.start, len(t)) // may cut a character
	for from > 0 && !value.Breaks[t[from-1]] {
		from--
	}
	for to < len(t) && !value.Breaks[t[to]] {
		to++
	}
	return from, to, true
}

// weighStops sets the weight of common phrases to zero. sums are the cumulated costs.
func (x *Index) weighStops(w []float32, g *grams, asked []run, sums []float32) {
	s := x.work()
	for _, r := range asked {
		from, to := max(r.start-gram.K, 0), min(r.end, g.count())
		hashes := g.in(from, to)
		for i := from; i < to; i++ {
			if (i-from)%table.Batch == 0 {
				s.warmed |= uint64(model.StopAhead(hashes[i-from : min(i+table.Batch, to)-from]))
			}
			if s.stops(hashes[i-from], sums[i+gram.K]-sums[i]) {
				fill(w, i, i+gram.K, nothing)
			}
		}
	}
}

// stops reports whether a k-gram with this number of bits is a common phrase. A k-gram that looks random is not a
// phrase, even if the filter contains it by mistake.
func stops(h uint64, bits float32) bool { return bits <= maxPhrase && model.Stop(h) }

// stops is the function [stops], with a cache of its results.
func (s *scratch) stops(h uint64, bits float32) bool {
	if bits > maxPhrase {
		return false
	}
	yes, known := s.stopped.recall(h)
	if !known {
		yes = model.Stop(h)
		s.stopped.keep(h, yes)
	}
	return yes
}

// maxPhrase is 4.6 bits a letter. Language has about 3.5 bits a letter, and random text has 6.
const maxPhrase = 4.6 * gram.K

// weighPublic sets the weight of public text to zero. A single k-gram may be in the public set by mistake, but hardly
// two neighbours. One of two neighbours is at an even position, so k-grams at odd positions are looked up only beside
// a match.
func (x *Index) weighPublic(w []float32, g *grams, asked []run) {
	for _, r := range asked {
		from, to := max(r.start-gram.K, 0), min(r.end, g.count())
		x.weighPublicRun(w, g.in(from, to), from, to)
	}
}

func (x *Index) weighPublicRun(w []float32, hashes []uint64, from, to int) {
	s := x.work()
	has := func(i int) bool { return i >= from && i < to && x.isPublic(hashes[i-from]) }
	for i := from; i < to; i += 2 {
		if (i-from)%(2*table.Batch) == 0 {
			s.ahead = s.ahead[:0]
			for j := i; j < min(i+2*table.Batch, to); j += 2 {
				if _, known := s.open.recall(hashes[j-from]); !known {
					s.ahead = append(s.ahead, hashes[j-from])
				}
			}
			s.warmed |= x.public.Warm(s.ahead)
		}
		if !has(i) {
			continue
		}
		if has(i - 1) {
			fill(w, i-1, i+gram.K, nothing)
		}
		if has(i + 1) {
			fill(w, i, i+1+gram.K, nothing)
		}
	}
}

// isPublic reports whether a k-gram is public.
func (x *Index) isPublic(h uint64) bool {
	open := &x.work().open
	yes, known := open.recall(h)
	if !known {
		yes = x.public.Has(h)
		open.keep(h, yes)
	}
	return yes
}

// weights returns n weights with the value 1.
func (s *scratch) weights(n int) []float32 {
	s.weight = slices.Grow(s.weight[:0], n)[:n]
	fill(s.weight, 0, n, all)
	return s.weight
}

func fill(w []float32, start, end int, with float32) {
	for i := start; i < end; i++ {
		w[i] = with
	}
}

// marker lowers the weights of spans of a segment's text.
type marker struct {
	weights []float32
	segment *segment
}

// setAll lowers the weights of the asides that are in the segment.
func (m *marker) setAll(asides []aside) {
	for _, a := range asides {
		m.set(a.start-m.segment.start, a.end-m.segment.start, a.weight)
	}
}

func (m *marker) set(start, end int, weight float32) {
	s := m.segment
	from, to := s.of.Within(s.start+max(start, 0), s.start+min(max(end, 0), s.end-s.start))
	for i := max(s.at+from-s.first, 0); i < min(s.at+to-s.first, len(m.weights)); i++ {
		m.weights[i] = min(m.weights[i], weight)
	}
}

// references calls mark for the spans of t that are references or copyright lines.
func references(t string, mark func(start, end int)) {
	for i := 0; i < len(t); {
		if value.Breaks[t[i]] {
			i++
			continue
		}
		end, signs := i, false
		for end < len(t) && !value.Breaks[t[end]] {
			signs = signs || value.Joints[t[end]]
			end++
		}
		next, n := end, 0
		if signs || end-i >= value.LeastHash {
			n = value.Reference(t[i:end])
		}
		switch {
		case n > 0:
			mark(i, i+n)
		case end-i == len("copyright") && strings.EqualFold(t[i:end], "copyright"):
			for next < len(t) && t[next] != '\n' && next < end+maxCopyright {
				next++
			}
			mark(i, next)
		}
		i = next
	}
}

// maxCopyright is the maximum length of a copyright line that is left out.
const maxCopyright = 60
