package match

import (
	"slices"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/flow/value"
)

const (
	// commonSources is the number of sources from which a k-gram is too common to identify a source.
	commonSources = 8
	// minGram is the information, in bits, that a k-gram must have to be stored.
	minGram = 24
	// sparse is the window of winnowing for external results. They are indexed only for the session's graph, and no
	// verdict depends on them.
	sparse = 4 * gram.W
)

// index adds the k-grams of a piece to a source. References in the text carry no information. w is the window of
// winnowing.
func (x *Index) index(p *piece, ref uint16, w int) {
	s := x.work()
	s.hashes = gram.Hashes(s.hashes[:0], p.skeleton)
	if len(s.hashes) == 0 {
		return
	}
	s.picked = gram.Winnow(s.picked[:0], s.hashes, w)
	s.few = s.few[:0]
	for _, at := range s.picked {
		s.few = append(s.few, s.hashes[at])
	}
	table.Shed(&s.hashes) // the hashes of a text of megabytes take more memory than all that follows
	s.costs = model.Cost(p.skeleton, s.costs[:0])
	weights := s.weights(len(p.skeleton))
	for i := range p.segments {
		m := marker{weights: weights, segment: &p.segments[i]}
		references(m.segment.text(), func(start, end int) { m.set(start, end, nothing) })
		m.setAll(p.asides)
	}
	s.whole = append(s.whole[:0], s.sums()...)
	for i := range s.costs {
		s.costs[i] *= weights[i]
	}
	x.addPicked(ref, s.sums())
}

// addPicked adds the winnowed k-grams whose costs are high enough.
func (x *Index) addPicked(ref uint16, sums []float32) {
	s, n := x.work(), 0
	for i, at := range s.picked {
		if sums[at+gram.K]-sums[at] >= minGram {
			s.picked[n], s.few[n] = at, s.few[i]
			n++
		}
	}
	for first := 0; first < n; first += table.Batch {
		last := min(first+table.Batch, n)
		part := s.few[first:last]
		s.warmed |= x.grams.Ahead(part) | uint64(model.StopAhead(part))
		for i, h := range part {
			if at := s.picked[first+i]; !stops(h, s.whole[at+gram.K]-s.whole[at]) {
				x.note(h, ref)
			}
		}
	}
}

// note adds one k-gram unless it is already stored or common.
func (x *Index) note(h uint64, ref uint16) {
	s := x.work()
	s.refs = x.grams.Find(s.refs[:0], h, commonSources)
	for _, known := range s.refs {
		switch {
		case known == ref:
			return
		case x.remains(known) != value.AllRemains ||
			x.sources[known].origin == x.sources[ref].origin: // evicted, or the same data was read again
			x.grams.Replace(h, known, ref)
			if x.remains(known) == value.AllRemains { // a thinned source counts no k-grams
				x.sources[known].texts -= gramBytes
				x.used -= gramBytes
			}
			x.sources[ref].texts += gramBytes
			return
		}
	}
	if len(s.refs) < commonSources {
		x.grams.Add(h, ref)
		x.sources[ref].texts += gramBytes
	}
}

// sums returns the cumulated costs: sums[i] is the sum of the costs before i.
func (s *scratch) sums() []float32 {
	n := len(s.costs)
	s.sum = slices.Grow(s.sum[:0], n+1)[:n+1]
	total, rest := float32(0), s.sum[1:]
	s.sum[0] = 0
	for i, c := range s.costs { // adds in a local variable, which is faster than reading the previous element
		total += c
		rest[i] = total
	}
	return s.sum
}

// publish makes the k-grams of a skeleton public: all k-grams up to maxDense, and the winnowed ones of the rest.
func (x *Index) publish(skeleton []byte) {
	s := x.work()
	s.hashes = gram.Hashes(s.hashes[:0], skeleton)
	dense := min(len(s.hashes), maxDense)
	for _, h := range s.hashes[:dense] {
		x.public.Add(h)
	}
	s.picked = gram.Winnow(s.picked[:0], s.hashes[dense:], gram.W)
	for _, at := range s.picked {
		x.public.Add(s.hashes[dense+int(at)])
	}
}

// maxDense is the length of a public text of which all k-grams are stored.
const maxDense = 16 << 10
