package match

import "mcpproxy/internal/flow/gram"

// block is how many k-grams of a text are hashed at a time: a large text takes no more
// memory by it than a small one.
const block = 64 << 10

// grams are the hashes of the k-grams of a skeleton. Those of one stretch are known at a
// time.
type grams struct {
	skeleton []byte
	from     int // the first gram whose hash is known
	hashes   []uint64
}

// reset makes g the grams of a skeleton.
func (g *grams) reset(skeleton []byte) {
	g.skeleton = skeleton
	g.from = 0
	g.hashes = g.hashes[:0]
}

// count is how many grams there are.
func (g *grams) count() int { return max(len(g.skeleton)-gram.K+1, 0) }

// in returns the hashes of the grams from start to end. They are good until it is called
// again.
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

// pick puts the grams that winnowing picks into s.picked, and their hashes into s.few.
func (s *scratch) pick() {
	s.picked, s.few = s.picked[:0], s.few[:0]
	n := s.grams.count()
	for from, to := 0, 0; to < n; from += block {
		to = min(from+block+gram.W-1, n) // with the rest of the last window that begins in the block
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
