package table

// Sieve is a Bloom filter in front of a table. It rules out most hashes that the table does not contain, without a
// lookup. A hash sets two bits of one word. When a layer is full, the sieve adds a larger one. Entries are never
// removed. A sieve that has become too large lets every hash through. The zero value is ready for use.
type Sieve struct {
	layers [][]uint64
	left   int // hashes that the last layer can still take, or open if every hash is let through
}

const (
	firstSieve = 1 << 10 // words of 64 bits
	sieveGrows = 4       // growth factor of layers
	largeSieve = 1 << 20 // words of the largest layer: 11 MB in total
	sieveBits  = 16      // bits for each hash
	open       = -1
)

// Hashes that differ only in their low SieveShift bits use the same word. SieveSpread masks these bits.
const (
	SieveShift  = 12
	SieveSpread = 1<<SieveShift - 1
)

// Add adds h.
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

// Has reports whether h is let through. It is let through if it was added, or by mistake.
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

// Words appends the words in which h is looked up, and before them the union of the words. [Lets] uses them for all
// hashes that differ from h only in their low SieveShift bits. The number of words is the same for every hash.
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

// Lets reports whether the words of a sieve let h through.
func Lets(words []uint64, h uint64) bool {
	mask := sieveMask(h)
	if words[0]&mask != mask { // most hashes: no word has all the bits
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

// Absorb adds the contents of another sieve.
func (s *Sieve) Absorb(from *Sieve) {
	switch {
	case s.left == open || from.left == open:
		s.layers, s.left = nil, open
	case len(from.layers) > 0:
		s.layers, s.left = append(s.layers, from.layers...), from.left
	}
}

// Bytes returns the memory in use.
func (s *Sieve) Bytes() int {
	n := 0
	for _, l := range s.layers {
		n += 8 * len(l)
	}
	return n
}
