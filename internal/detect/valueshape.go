package detect

import "regexp/syntax"

// valueShape holds quickly checked properties of a pattern's values: their length in bytes and their bytes. For most
// values they make the regular expression unnecessary.
type valueShape struct {
	least, most int // most is -1 if there is no limit
	bytes       [256]bool
}

// newValueShape computes the shape from an RE2 pattern. An invalid pattern has a shape that fits nothing.
func newValueShape(pattern string) *valueShape {
	s := &valueShape{}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return s
	}
	s.least, s.most = s.add(re)
	return s
}

// fits reports whether a value may match the pattern.
func (s *valueShape) fits(value string) bool {
	if len(value) < s.least || s.most >= 0 && len(value) > s.most {
		return false
	}
	for i := 0; i < len(value); i++ {
		if !s.bytes[value[i]] {
			return false
		}
	}
	return true
}

// add adds the bytes of re and returns the possible lengths of a match.
func (s *valueShape) add(re *syntax.Regexp) (least, most int) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			s.addRune(r, re.Flags&syntax.FoldCase != 0)
			least, most = least+1, add(most, runeBytes(r))
		}
		return least, most
	case syntax.OpCharClass:
		widest := 1
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= min(re.Rune[i+1], 0x7f); r++ {
				s.addRune(r, false)
			}
			if re.Rune[i+1] > 0x7f {
				s.addRune(0x80, false)
				widest = 4
			}
		}
		return 1, widest
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for c := range s.bytes {
			s.bytes[c] = true
		}
		return 1, 4
	case syntax.OpCapture:
		return s.add(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			l, m := s.add(sub)
			least, most = least+l, add(most, m)
		}
		return least, most
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			l, m := s.add(sub)
			if i == 0 {
				least, most = l, m
			}
			least, most = min(least, l), larger(most, m)
		}
		return least, most
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return s.addRepeat(re)
	}
	return 0, 0 // matches no text
}

func (s *valueShape) addRepeat(re *syntax.Regexp) (least, most int) {
	l, m := s.add(re.Sub[0])
	switch re.Op {
	case syntax.OpStar:
		return 0, -1
	case syntax.OpPlus:
		return l, -1
	case syntax.OpQuest:
		return 0, m
	}
	if re.Max < 0 || m < 0 {
		return l * re.Min, -1
	}
	return l * re.Min, m * re.Max
}

func (s *valueShape) addRune(r rune, fold bool) {
	if r > 0x7f {
		for c := 0x80; c < 0x100; c++ {
			s.bytes[c] = true
		}
		return
	}
	s.bytes[r] = true
	if fold && r|0x20 >= 'a' && r|0x20 <= 'z' {
		s.bytes[r^0x20] = true
	}
}

func runeBytes(r rune) int {
	if r > 0x7f {
		return 4
	}
	return 1
}

// add and larger treat -1 as infinite.
func add(a, b int) int {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

func larger(a, b int) int {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}
