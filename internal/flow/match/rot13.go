package match

import (
	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
)

const (
	// unlikely is the mean cost, in bits a letter, from which a stretch of text is also read as rot13. Prose and code
	// cost less.
	unlikely = 4.5
	// rotStep is the distance, in letters, between the stretches that are tried.
	rotStep = 8
	// rotRandom is the mean cost of a letter from which a stretch is random. Random text has the same cost in rot13.
	rotRandom = 5
	// rotNoise is the factor by which the cost of a random stretch may be higher in rot13.
	rotNoise = 1.1
)

// rotation caches the stretch of a piece that may be rot13, because a document is compared with several indexes.
type rotation struct {
	known bool
	piece *piece // nil if no stretch of the piece may be rot13
}

// rotated appends to the pieces, in decoded form, the stretches that may be rot13. It finds rot13 in a few words.
// Texts that are mostly rot13 are decoded with the other encodings.
func (s *scratch) rotated(pieces []piece) []piece {
	for i := range pieces {
		if p := s.rotation(&pieces[i]); p != nil {
			pieces = append(pieces, *p)
		}
	}
	return pieces
}

// rotation returns the stretch of a piece that may be rot13, decoded, or nil.
func (s *scratch) rotation(p *piece) *piece {
	switch {
	case p.decoded != "":
		return nil
	case p.rot13 != nil && p.rot13.known:
		return p.rot13.piece
	}
	var out *piece
	if start, end := s.turned(p); start < end {
		out = p.decodeRot13(start, end)
	}
	if p.rot13 != nil {
		*p.rot13 = rotation{known: true, piece: out}
	}
	return out
}

// turned returns the range of a piece that costs less when it is decoded from rot13, with its context. The range is
// empty if no part of the piece costs less.
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
	sums, from := s.sums(), 0 // cumulated costs of the letters from position from
	var other reader13
	for i := 0; ; i += rotStep {
		i = min(i, len(skeleton)-gram.K)
		if i+gram.K-from >= len(sums) {
			from = max(i-2, 0) // the cost of the first letters depends on the two before them
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

// reader13 decodes stretches of a text from rot13. It decodes each letter once, although the requested stretches
// overlap.
type reader13 struct {
	from, to int // the range of letters whose costs are summed
	sums     [stretch13 + 1]float32
}

// stretch13 is the number of letters that are decoded at a time.
const stretch13 = 4 * gram.K

// better reports whether the k-gram at i costs less than plain when it is decoded from rot13.
func (r *reader13) better(skeleton []byte, i int, plain float32) bool {
	if i < r.from || i+gram.K > r.to {
		r.read(skeleton, i)
	}
	turned := r.sums[i+gram.K-r.from] - r.sums[i-r.from]
	return turned < plain || plain >= rotRandom*gram.K && turned <= rotNoise*plain
}

// read decodes the letters from i on.
func (r *reader13) read(skeleton []byte, i int) {
	r.from, r.to = i, min(i+stretch13, len(skeleton))
	first := max(i-2, 0) // the cost of the first letters depends on the two before them
	var letters [stretch13 + 2]byte
	var costs [stretch13 + 2]float32
	total := float32(0)
	for n, c := range model.Cost(appendRot13(letters[:0], skeleton[first:r.to]), costs[:0])[i-first:] {
		total += c
		r.sums[n+1] = total
	}
}

// decodeRot13 returns skeleton[start:end] of p, decoded.
func (p *piece) decodeRot13(start, end int) *piece {
	out := *p
	out.decoded, out.turned = "rot13", true
	out.rot13 = nil
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
	return &out
}

func appendRot13(dst, skeleton []byte) []byte {
	for _, c := range skeleton {
		dst = append(dst, turns[c])
	}
	return dst
}

// turns maps each byte of a skeleton to its rot13.
var turns = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
	}
	for c := range byte(26) {
		table['a'+c] = 'a' + (c+13)%26
	}
	return table
}()
