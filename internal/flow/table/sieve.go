package table

// Sieve tells most of what a table does not hold from what it may hold, without
// the cost of looking there. It is a Bloom filter that sets two bits of one word
// for a hash; when it fills up, a larger one is begun beside it. Nothing is ever
// taken out of it: one that has become too large lets all through instead. The zero
// value is ready for use.
type Sieve struct {
	layers [][]uint64
	left   int // hashes until the last layer is full; open when all go through
}

const (
	firstSieve = 1 << 10 // words of 64 bits
	sieveGrows = 4       // times that the next layer is larger
	largeSieve = 1 << 20 // words of the last layer: 11 MB in all
	sieveBits  = 16      // bits for a hash
	open       = -1
)

// Hashes that differ in their low SieveShift bits alone, which are those of
// SieveSpread, are looked for in one word of memory.
const (
	SieveShift  = 12
	SieveSpread = 1<<SieveShift - 1
)

// Add lets h through from now on.
func (s *Sieve) Add(h uint64) {
	if s.Has(h) {
		return
	}
	if s.left == 0 {
		size := firstSieve
		if n := len(s.layers); n > 0 {
			size = len(s.layers[n-1]) * sieveGrows
		}
		if size > largeSieve {
			s.layers, s.left = nil, open
			return
		}
		s.layers = append(s.layers, make([]uint64, size))
		s.left = size * 64 / sieveBits
	}
	last := s.layers[len(s.layers)-1]
	last[h>>SieveShift&uint64(len(last)-1)] |= sieveMask(h)
	s.left--
}

// Has reports whether h is let through: whether it was added, or looks like one that
// was.
func (s *Sieve) Has(h uint64) bool {
	if s.left == open {
		return true
	}
	mask := sieveMask(h)
	for _, l := range s.layers {
		if l[h>>SieveShift&uint64(len(l)-1)]&mask == mask {
			return true
		}
	}
	return false
}

// Words appends the words of memory in which h is looked for, and before them what
// any of them has: [Lets] asks them for all hashes that differ from h in their low
// SieveShift bits alone. For each hash there are as many.
func (s *Sieve) Words(dst []uint64, h uint64) []uint64 {
	if s.left == open {
		return append(dst, ^uint64(0), ^uint64(0))
	}
	first := len(dst)
	dst = append(dst, 0)
	for _, l := range s.layers {
		word := l[h>>SieveShift&uint64(len(l)-1)]
		dst = append(dst, word)
		dst[first] |= word
	}
	return dst
}

// Lets reports whether words of a sieve let h through.
func Lets(words []uint64, h uint64) bool {
	mask := sieveMask(h)
	if words[0]&mask != mask { // what no word has a part of, as it is mostly
		return false
	}
	for _, word := range words[1:] {
		if word&mask == mask {
			return true
		}
	}
	return false
}

func sieveMask(h uint64) uint64 { return 1<<(h&63) | 1<<(h>>6&63) }

// Absorb takes over what another sieve holds.
func (s *Sieve) Absorb(from *Sieve) {
	switch {
	case s.left == open || from.left == open:
		s.layers, s.left = nil, open
	case len(from.layers) > 0:
		s.layers, s.left = append(s.layers, from.layers...), from.left
	}
}

// Bytes is the memory in use.
func (s *Sieve) Bytes() int {
	n := 0
	for _, l := range s.layers {
		n += 8 * len(l)
	}
	return n
}
