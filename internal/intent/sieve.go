package intent

// sieve says which words may be in a list, so that only those are looked up there: most words of a text are
// not, and a look into a list of thousands of words takes ten times as long.
type sieve [1 << (sieveBits - 6)]uint64

const (
	sieveBits   = 16 // of a hash: of the words that are not in a list of 13,000, one in five passes
	longestStem = 63 // bytes of the longest prefix that [sieve.prefixes] finds
)

// sieveOf is the sieve of the words of a list.
func sieveOf[V any](list map[string]V) *sieve {
	s := new(sieve)
	for w := range list {
		word, bit := s.bit(sieveHash(w))
		*word |= bit
	}
	return s
}

// may reports whether a word may be in the list.
func (s *sieve) may(w string) bool { return s.has(sieveHash(w)) }

// has reports whether a word with this hash may be in the list.
func (s *sieve) has(h uint32) bool {
	word, bit := s.bit(h)
	return *word&bit != 0
}

// prefixes returns the lengths of the prefixes of a word that may be in the list: bit n is set if the first n bytes
// may be. None is shorter than two bytes. It also returns the hash of the word.
func (s *sieve) prefixes(w string) (lengths uint64, h uint32) {
	for i := range len(w) {
		h = hashOn(h, w[i])
		if word, bit := s.bit(h); *word&bit != 0 && i > 0 && i < longestStem {
			lengths |= 1 << (i + 1)
		}
	}
	return lengths, h
}

// bit is the word of the sieve that a hash belongs to, and the bit in it.
func (s *sieve) bit(h uint32) (word *uint64, bit uint64) {
	h >>= 32 - sieveBits
	return &s[h>>6], 1 << (h & 63)
}

func sieveHash(w string) (h uint32) {
	for i := range len(w) {
		h = hashOn(h, w[i])
	}
	return h
}

// hashOn is the hash of the bytes that h is the hash of, and one more. The hash of no bytes is 0.
func hashOn(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 0x9e3779b1 }
