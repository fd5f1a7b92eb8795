package text

import "math/bits"

// candidates finds where encoded texts may begin: runs of characters of base64 that are
// long enough, and those that may be character codes. It looks at 64 bytes at a time: most
// texts hold thousands of words and hardly an encoded one, and a processor that guesses
// wrong where a word ends loses more time than the look takes.
type candidates struct {
	s         string
	base      int  // where the bytes begin that now and found are about
	begun     bool // there are such bytes
	now, then masks
	found     uint64 // has a bit for each of them where something may begin
}

// masks have a bit for each of 64 bytes that belongs to a class.
type masks struct{ base64, hex, alnum, x uint64 }

// next is the first place at byte from or behind it; the length of the text when there
// is none. Places inside a run are skipped.
func (c *candidates) next(from int) int {
	for {
		for c.found != 0 {
			at := c.base + bits.TrailingZeros64(c.found)
			if c.found &= c.found - 1; at >= from {
				return at
			}
		}
		if !c.load() {
			return len(c.s)
		}
	}
}

// load looks at the next bytes. It reports false when there are none.
func (c *candidates) load() bool {
	before := uint64(0)
	if c.begun {
		before = c.now.base64 >> 63
		c.now, c.base = c.then, c.base+64
	} else {
		c.now, c.begun = masksOf(c.s), true
	}
	if c.base >= len(c.s) {
		return false
	}
	c.then = masksOf(c.s[min(c.base+64, len(c.s)):])
	now, then := &c.now, &c.then
	hex1, hex2 := ahead64(now.hex, then.hex, 1), ahead64(now.hex, then.hex, 2)
	alnum2, alnum3 := ahead64(now.alnum, then.alnum, 2), ahead64(now.alnum, then.alnum, 3)
	code := now.hex & (hex1&(hex2&^alnum3|^alnum2) | ahead64(now.x, then.x, 1)) // what mayBeCode knows
	long, longThen := now.base64, then.base64
	for n := 1; n < minRun; n *= 2 {
		long, longThen = long&ahead64(long, longThen, n), longThen&(longThen>>n)
	}
	c.found = (code | long) & now.base64 &^ (now.base64<<1 | before)
	return true
}

// ahead64 has the bits of the bytes that stand n bytes behind those of now.
func ahead64(now, then uint64, n int) uint64 { return now>>n | then<<(64-n) }

// classesOf are the classes of masks, each as a bit.
var classesOf = func() (t [256]uint8) {
	for c := range t {
		b := byte(c)
		if charset[c]&isBase64 != 0 {
			t[c] |= 1
		}
		if charset[c]&isHex != 0 {
			t[c] |= 2
		}
		if alnumByte[c] {
			t[c] |= 4
		}
		if b == 'x' || b == 'X' {
			t[c] |= 8
		}
	}
	return t
}()

// masksOf are the masks of the first 64 bytes of s.
func masksOf(s string) (m masks) {
	if len(s) < 64 {
		for i := range len(s) {
			c := uint64(classesOf[s[i]])
			m.base64 |= c & 1 << (i & 63)
			m.hex |= c >> 1 & 1 << (i & 63)
			m.alnum |= c >> 2 & 1 << (i & 63)
			m.x |= c >> 3 & 1 << (i & 63)
		}
		return m
	}
	for i := 0; i < 64; i += 8 {
		b, t := s[i:i+8], &classesOf
		all := uint64(t[b[0]]) | uint64(t[b[1]])<<8 | uint64(t[b[2]])<<16 | uint64(t[b[3]])<<24 |
			uint64(t[b[4]])<<32 | uint64(t[b[5]])<<40 | uint64(t[b[6]])<<48 | uint64(t[b[7]])<<56
		m.base64 = m.base64>>8 | gathered(all)
		m.hex = m.hex>>8 | gathered(all>>1)
		m.alnum = m.alnum>>8 | gathered(all>>2)
		m.x = m.x>>8 | gathered(all>>3)
	}
	return m
}

// gathered has the lowest bits of eight bytes in its highest byte.
func gathered(bytes uint64) uint64 {
	return bytes & 0x0101010101010101 * 0x0102040810204080 >> 56 << 56
}
