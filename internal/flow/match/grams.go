package match

import "mcpproxy/internal/flow/gram"

// block is the number of k-grams that are hashed at a time. It limits the memory for a large text.
const block = 64 << 10

// grams computes the hashes of a skeleton's k-grams. It holds the hashes of one range at a time.
type grams struct {
	skeleton []byte
	from     int // the first k-gram whose hash is held
	hashes   []uint64
}

// reset sets the skeleton.
func (g *grams) reset(skeleton []byte) {
	g.skeleton = skeleton
	g.from = 0
	g.hashes = g.hashes[:0]
}

// count returns the number of k-grams.
func (g *grams) count() int { return max(len(g.skeleton)-gram.K+1, 0) }

// in returns the hashes of the k-grams from start to end. The result is valid until the next call.
func (g *grams) in(start, end int) []uint64 {
	if start >= end {
		return nil
	}
	if start < g.from || end > g.from+len(g.hashes) {
		to := min(max(end, start+block), g.count())
		g.from, g.hashes = start, gram.Hashes(g.hashes[:0], g.skeleton[start:to+gram.K-1])
	}
	return g.hashes[start-g.from : end-g.from]
}

// pick stores the winnowed k-grams in s.picked and their hashes in s.few.
func (s *scratch) pick() {
	s.picked, s.few = s.picked[:0], s.few[:0]
	n := s.grams.count()
	for from, to := 0, 0; to < n; from += block {
		to = min(from+block+gram.W-1, n) // includes the last window that begins in the block
		hashes, first := s.grams.in(from, to), len(s.picked)
		s.picked = gram.Winnow(s.picked, hashes, gram.W)
		for i := first; i < len(s.picked); i++ {
			s.few = append(s.few, hashes[s.picked[i]])
			s.picked[i] += int32(from)
		}
		if first > 0 && first < len(s.picked) && s.picked[first] == s.picked[first-1] {
			s.picked = append(s.picked[:first], s.picked[first+1:]...)
			s.few = append(s.few[:first], s.few[first+1:]...)
		}
	}
}
