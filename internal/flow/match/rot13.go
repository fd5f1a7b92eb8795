package match

import (
	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
)

const (
	// unlikely is the mean cost, in bits a letter, from which a stretch of text is
	// read in rot13 too: above what people and programs write.
	unlikely = 4.5
	// rotStep is how far apart the stretches begin that are tried.
	rotStep = 8
	// rotRandom is the cost of a letter from which a stretch is random, and reads no
	// better in rot13 if that is what it is in.
	rotRandom = 5
	// rotNoise is how much more a random stretch may cost in rot13.
	rotNoise = 1.1
)

// rotated are the pieces in rot13 that may be one, as far as they may be. Text in
// which most words are turned is undone with the other disguises; this finds what
// hides in few words.
func (s *scratch) rotated(pieces []piece) []piece {
	for _, p := range pieces {
		if p.decoded != "" {
			continue
		}
		if start, end := s.turned(&p); start < end {
			pieces = append(pieces, p.rot13(start, end))
		}
	}
	return pieces
}

// turned is the stretch of a piece that reads better in rot13, with what stands
// around it; an empty one when there is none.
func (s *scratch) turned(p *piece) (start, end int) {
	skeleton := p.skeleton
	if len(skeleton) < gram.K {
		return 0, 0
	}
	if len(skeleton) <= block {
		s.costs = p.cost(s.costs[:0])
	} else {
		s.costs = s.costs[:0]
	}
	sums, from := s.sums(), 0 // sums are those of the letters from there on
	var other reader13
	for i := 0; ; i += rotStep {
		i = min(i, len(skeleton)-gram.K)
		if i+gram.K-from >= len(sums) {
			from = max(i-2, 0) // on which the cost of the first letters depends
			s.costs = model.Cost(skeleton[from:min(from+block, len(skeleton))], s.costs[:0])
			sums = s.sums()
		}
		if plain := sums[i+gram.K-from] - sums[i-from]; plain >= unlikely*gram.K && other.better(skeleton, i, plain) {
			if end == 0 {
				start = max(i-gram.K, 0)
			}
			end = min(i+2*gram.K, len(skeleton))
		}
		if i == len(skeleton)-gram.K {
			return start, end
		}
	}
}

// reader13 reads stretches of a text in rot13, each once: those that are asked for overlap.
type reader13 struct {
	from, to int // the letters whose costs are summed
	sums     [stretch13 + 1]float32
}

// stretch13 is how many letters are read at a time.
const stretch13 = 4 * gram.K

// better reports whether the gram at i, which costs plain, is likelier in rot13.
func (r *reader13) better(skeleton []byte, i int, plain float32) bool {
	if i < r.from || i+gram.K > r.to {
		r.read(skeleton, i)
	}
	turned := r.sums[i+gram.K-r.from] - r.sums[i-r.from]
	return turned < plain || plain >= rotRandom*gram.K && turned <= rotNoise*plain
}

// read reads the letters from i on.
func (r *reader13) read(skeleton []byte, i int) {
	r.from, r.to = i, min(i+stretch13, len(skeleton))
	first := max(i-2, 0) // on which the cost of the first letters depends
	var letters [stretch13 + 2]byte
	var costs [stretch13 + 2]float32
	total := float32(0)
	for n, c := range model.Cost(appendRot13(letters[:0], skeleton[first:r.to]), costs[:0])[i-first:] {
		total += c
		r.sums[n+1] = total
	}
}

// rot13 is skeleton[start:end] of p turned.
func (p piece) rot13(start, end int) piece {
	out := p
	out.decoded, out.turned = "rot13", true
	out.skeleton = appendRot13(make([]byte, 0, end-start), p.skeleton[start:end])
	out.before = max(p.before-start, 0)
	out.segments = make([]segment, 0, len(p.segments))
	for i, s := range p.segments {
		if i+1 < len(p.segments) && p.segments[i+1].at <= start || s.at >= end {
			continue
		}
		s.at -= start
		out.segments = append(out.segments, s)
	}
	return out
}

func appendRot13(dst, skeleton []byte) []byte {
	for _, c := range skeleton {
		dst = append(dst, turns[c])
	}
	return dst
}

// turns is each byte of a skeleton in rot13.
var turns = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
	}
	for c := range byte(26) {
		table['a'+c] = 'a' + (c+13)%26
	}
	return table
}()
