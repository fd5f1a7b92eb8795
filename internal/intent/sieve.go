package intent

// sieve is a Bloom filter of the words of a list. It saves most lookups: most words of a text are not in the list, and
// a lookup in a list of thousands of words takes ten times as long.
type sieve [1 << (sieveBits - 6)]uint64

const (
	sieveBits   = 16 // bits of a hash; one in five words that are not in a list of 13,000 passes
	longestStem = 63 // bytes of the longest prefix that [sieve.prefixes] finds
)

// sieveOf returns the sieve of a list.
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

// prefixes returns the lengths of the prefixes of a word that may be in the list: bit n is set if the list may contain
// the first n bytes. Prefixes shorter than two bytes are left out. prefixes also returns the hash of the word.
func (s *sieve) prefixes(w string) (lengths uint64, h uint32) {
	for i := range len(w) {
		h = hashOn(h, w[i])
		if word, bit := s.bit(h); *word&bit != 0 && i > 0 && i < longestStem {
			lengths |= 1 << (i + 1)
		}
	}
	return lengths, h
}

// bit returns the position of a hash in the sieve: a word of the sieve, and a bit of the word.
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

// hashOn extends the hash h by one byte. The hash of no bytes is 0.
func hashOn(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 0x9e3779b1 }
