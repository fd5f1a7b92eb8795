package text

import "math/bits"

// candidates finds the positions where encoded texts may begin: sufficiently long runs of base64 characters, and
// possible character codes. It processes 64 bytes at a time without branches, because most texts have thousands of
// words and hardly any encoded text, and a mispredicted branch at each word would cost more.
type candidates struct {
	s         string
	base      int  // start of the bytes to which now and found belong
	begun     bool // there are such bytes
	now, then masks
	found     uint64 // a bit for each of them where something may begin
}

// masks have, for each class, one bit for each of 64 bytes that belongs to the class.
type masks struct{ base64, hex, alnum, x uint64 }

// next returns the first candidate at byte from or after it, or the length of the text if there is none. It skips
// positions inside a run.
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

// load processes the next bytes. It returns false if there are none.
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
	code := now.hex & (hex1&(hex2&^alnum3|^alnum2) | ahead64(now.x, then.x, 1)) // the condition of mayBeCode
	long, longThen := now.base64, then.base64
	for n := 1; n < minRun; n *= 2 {
		long, longThen = long&ahead64(long, longThen, n), longThen&(longThen>>n)
	}
	c.found = (code | long) & now.base64 &^ (now.base64<<1 | before)
	return true
}

// ahead64 returns the bits of the bytes that are n bytes after those of now.
func ahead64(now, then uint64, n int) uint64 { return now>>n | then<<(64-n) }

// classesOf maps each byte to the classes of masks, as bits.
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

// masksOf returns the masks of the first 64 bytes of s.
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

// gathered returns the lowest bits of eight bytes, in the highest byte.
func gathered(bytes uint64) uint64 {
	return bytes & 0x0101010101010101 * 0x0102040810204080 >> 56 << 56
}
