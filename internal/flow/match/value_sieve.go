package match

// sieve tells most of what a table does not hold from what it may hold, without
// the cost of looking there. It is a Bloom filter that sets two bits of one word
// for a hash; when it fills up, a larger one is begun beside it.
type sieve struct {
	layers [][]uint64
	left   int // hashes until the last layer is full
}

const (
	firstSieve  = 1 << 10 // words of 64 bits
	sieveGrows  = 4       // times that the next layer is larger
	sieveBits   = 16      // bits for a hash
	sieveShift  = 12      // low bits of a hash, which choose those of a word
	sieveSpread = 1<<sieveShift - 1
)

func (s *sieve) add(h uint64) {
	if s.has(h) {
		return
	}
	if s.left == 0 {
		size := firstSieve
		if n := len(s.layers); n > 0 {
			size = len(s.layers[n-1]) * sieveGrows
		}
		s.layers = append(s.layers, make([]uint64, size))
		s.left = size * 64 / sieveBits
	}
	last := s.layers[len(s.layers)-1]
	last[h>>sieveShift&uint64(len(last)-1)] |= sieveMask(h)
	s.left--
}

func (s *sieve) has(h uint64) bool {
	mask := sieveMask(h)
	for _, l := range s.layers {
		if l[h>>sieveShift&uint64(len(l)-1)]&mask == mask {
			return true
		}
	}
	return false
}

func sieveMask(h uint64) uint64 { return 1<<(h&63) | 1<<(h>>6&63) }

// absorb takes over what another sieve holds.
func (s *sieve) absorb(from *sieve) {
	if len(from.layers) > 0 {
		s.layers, s.left = append(s.layers, from.layers...), from.left
	}
}

func (s *sieve) bytes() int {
	n := 0
	for _, l := range s.layers {
		n += 8 * len(l)
	}
	return n
}
