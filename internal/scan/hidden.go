package scan

import (
	"unicode/utf8"
)

// The number of consecutive hidden characters that is not accidental.
const (
	minTags      = 4
	minZeroWidth = 6
	minOperators = 16
	minSelectors = 3
)

// hidden reports invisible characters.
func (s *scanner) hidden() {
	t := s.v.Text
	ascii := true
	for i := 0; i < len(t) && ascii; i++ {
		ascii = t[i] < 0x80 && t[i] != '\x1b'
	}
	if ascii {
		return
	}
	s.escapes()
	flag := false // tag characters here encode the region of a flag
	for i := 0; i < len(t); {
		if t[i] < 0x80 {
			i++
			flag = false
			continue
		}
		r, size := utf8.DecodeRuneInString(t[i:])
		class := invisible(r)
		if class == 0 {
			flag = r == 0x1f3f4
			i += size
			continue
		}
		end, n := run(t, i, class)
		switch {
		case class == tagClass && n >= minTags && !(flag && flagTags(t[i:]) == end-i),
			class == zeroClass && n >= minZeroWidth,
			class == operatorClass && n >= minOperators,
			class == selectorClass && n >= minSelectors,
			class == overrideClass:
			s.observe(observation{
				check: checkUnicode,
				tier:  TierHard,
				sure:  0.9,
				start: i,
				end:   end,
			})
		}
		flag = false
		i = end
	}
}

// The classes of invisible characters that are counted together.
const (
	tagClass = iota + 1
	zeroClass
	operatorClass
	selectorClass
	overrideClass
)

// invisible returns the class of r; 0 for visible characters and for legitimate invisible ones.
func invisible(r rune) int {
	switch {
	case r >= 0xe0000 && r <= 0xe007f:
		return tagClass
	case r >= 0x200b && r <= 0x200d,
		r == 0x2060,
		r == 0xfeff,
		r == 0x180e,
		r == 0x00ad,
		r == 0x034f,
		r == 0x3164,
		r == 0x115f,
		r == 0x1160:
		return zeroClass
	case r >= 0x2061 && r <= 0x2064:
		return operatorClass
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		return selectorClass
	case r == 0x202e:
		return overrideClass
	}
	return 0
}

// run returns the end of the run of one class at i, and its length. Zero-width characters and invisible operators
// count as one class.
func run(t string, i, class int) (end, n int) {
	for i < len(t) {
		r, size := utf8.DecodeRuneInString(t[i:])
		c := invisible(r)
		if c != class && !(c == zeroClass && class == operatorClass) {
			break
		}
		i += size
		n++
	}
	return i, n
}
