package detect

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// sieve determines in one pass over a text whether it contains one of many parts, without the case of ASCII letters.
type sieve struct {
	may   [1 << (sieveBits - 6)]uint64 // whether the bytes with a hash are the window of a part
	parts map[uint32][]part            // by window
}

const (
	window    = 4  // bytes that are hashed
	sieveBits = 16 // of a hash
)

// part is a text in lower case. Its window, the bytes of it that the fewest texts contain, is looked for first.
type part struct {
	text   string
	before int // bytes before the window
}

// newSieve returns a sieve for parts of at least [window] bytes.
func newSieve(parts []string) *sieve {
	s := &sieve{parts: map[uint32][]part{}}
	for _, p := range parts {
		at, w := rarest(p), uint32(0)
		for i := range window {
			w = w<<8 | uint32(p[at+i])
		}
		h := sieveHash(w)
		s.may[h/64] |= 1 << (h % 64)
		s.parts[w] = append(s.parts[w], part{p, at})
	}
	return s
}

// rarest returns where the window of a part begins.
func rarest(p string) (at int) {
	best := 0
	for i := range len(p) - window + 1 {
		rare := 0
		for _, c := range []byte(p[i : i+window]) {
			if n := strings.IndexByte(common, c); n >= 0 {
				rare += n
			} else {
				rare += len(common)
			}
		}
		if rare > best {
			best, at = rare, i
		}
	}
	return at
}

// common are the letters of texts, the most common first.
const common = " etaoinsrhldcumfpgwybv"

// sieveHash returns a hash of the bytes of a window.
func sieveHash(w uint32) uint32 { return w * 0x9e3779b1 >> (32 - sieveBits) }

// passes reports whether buf contains a part.
func (s *sieve) passes(buf []byte) bool {
	if holdsFoldedLetter(buf) {
		return true
	}
	last := uint32(0)
	for i, c := range buf {
		last = last<<8 | uint32(folded[c])
		if h := sieveHash(last); s.may[h/64]>>(h%64)&1 == 0 {
			continue
		}
		for _, p := range s.parts[last] {
			if from := i + 1 - window - p.before; from >= 0 && startsWith(buf[from:], p.text) {
				return true
			}
		}
	}
	return false
}

// startsWith reports whether buf begins with a text in lower case.
func startsWith(buf []byte, text string) bool {
	if len(buf) < len(text) {
		return false
	}
	for i := range len(text) {
		if folded[buf[i]] != text[i] {
			return false
		}
	}
	return true
}

// holdsFoldedLetter reports whether buf contains a character beyond ASCII that a pattern without case takes for an
// ASCII letter: the Kelvin sign or the long s.
func holdsFoldedLetter(buf []byte) bool {
	return bytes.Contains(buf, []byte("\u212a")) || bytes.Contains(buf, []byte("\u017f"))
}

// folded maps ASCII letters to lower case, and all other bytes to themselves.
var folded = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
		if c < utf8.RuneSelf {
			table[c] = strings.ToLower(string(rune(c)))[0]
		}
	}
	return table
}()
