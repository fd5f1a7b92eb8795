package hook

import (
	"encoding/binary"
	"math/bits"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep values are nested that members reads.
const maxDepth = 500

// members reads an object as parse does, in a fraction of the time, since nothing but the
// ends of members is looked for: most payloads hold one long text. It is not ok where
// anything is wrong or unusual, such as a name with an escape in it; parse then says
// what it is.
func members(raw []byte) (payload, bool) {
	s := skimmer{raw: raw}
	p := payload{}
	s.space()
	if !s.next('{') {
		return nil, false
	}
	for s.space(); !s.next('}'); s.space() {
		if len(p) > 0 {
			if !s.next(',') {
				return nil, false
			}
			s.space()
		}
		from := s.at
		if !s.text() {
			return nil, false
		}
		name := string(raw[from+1 : s.at-1])
		s.space()
		if _, twice := p[name]; twice || !plain(name) || !s.next(':') {
			return nil, false
		}
		s.space()
		from = s.at
		if !s.value(1) {
			return nil, false
		}
		p[name] = jsontext.Value(raw[from:s.at:s.at])
	}
	s.space()
	return p, s.at == len(raw)
}

// plain reports whether a name is written as it is meant.
func plain(name string) bool {
	for i := range len(name) {
		if name[i] == '\\' || name[i] >= 0x80 {
			return false
		}
	}
	return true
}

// skimmer reads over JSON. What it reads over is valid, but for names that stand twice
// in an object and for what is no UTF-8.
type skimmer struct {
	raw []byte
	at  int
}

// space reads over white space.
func (s *skimmer) space() {
	for s.at < len(s.raw) && (s.raw[s.at] == ' ' || s.raw[s.at] == '\n' || s.raw[s.at] == '\t' || s.raw[s.at] == '\r') {
		s.at++
	}
}

// next reads over a byte, if it is c.
func (s *skimmer) next(c byte) bool {
	if s.at < len(s.raw) && s.raw[s.at] == c {
		s.at++
		return true
	}
	return false
}

// value reads over a value at a depth.
func (s *skimmer) value(depth int) bool {
	if s.at >= len(s.raw) || depth > maxDepth {
		return false
	}
	switch s.raw[s.at] {
	case '"':
		return s.text()
	case '{', '[':
		return s.container(depth)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// container reads over an object or an array.
func (s *skimmer) container(depth int) bool {
	object := s.raw[s.at] == '{'
	end := byte(']')
	if object {
		end = '}'
	}
	s.at++
	s.space()
	if s.next(end) {
		return true
	}
	for {
		if object {
			if !s.text() {
				return false
			}
			if s.space(); !s.next(':') {
				return false
			}
			s.space()
		}
		if !s.value(depth + 1) {
			return false
		}
		if s.space(); s.next(end) {
			return true
		}
		if !s.next(',') {
			return false
		}
		s.space()
	}
}

// word reads over a word.
func (s *skimmer) word(w string) bool {
	if len(s.raw)-s.at < len(w) || string(s.raw[s.at:s.at+len(w)]) != w {
		return false
	}
	s.at += len(w)
	return true
}

// number reads over a number.
func (s *skimmer) number() bool {
	s.next('-')
	if !s.next('0') && !s.digits() {
		return false
	}
	if s.next('.') && !s.digits() {
		return false
	}
	if s.next('e') || s.next('E') {
		if !s.next('+') {
			s.next('-')
		}
		return s.digits()
	}
	return true
}

// digits reads over one digit or more.
func (s *skimmer) digits() bool {
	from := s.at
	for s.at < len(s.raw) && s.raw[s.at] >= '0' && s.raw[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

// The same byte eight times.
const (
	ones       = 0x0101010101010101
	highs      = 0x80 * ones
	quotes     = '"' * ones
	backslants = '\\' * ones
	spaces     = ' ' * ones
)

// text reads over a string. It looks at eight bytes at a time for quotation marks,
// backslashes and control characters.
func (s *skimmer) text() bool {
	if !s.next('"') {
		return false
	}
	for {
		for len(s.raw)-s.at >= 8 {
			eight := binary.LittleEndian.Uint64(s.raw[s.at:])
			quote, slant := eight^quotes, eight^backslants
			if found := ((quote-ones)&^quote | (slant-ones)&^slant | (eight-spaces)&^eight) & highs; found != 0 {
				s.at += bits.TrailingZeros64(found) / 8
				break
			}
			s.at += 8
		}
		if s.at >= len(s.raw) {
			return false
		}
		switch c := s.raw[s.at]; {
		case c == '"':
			s.at++
			return true
		case c == '\\':
			if !s.escape() {
				return false
			}
		case c < ' ':
			return false
		default:
			s.at++
		}
	}
}

// escape reads over an escape, but not over half a character.
func (s *skimmer) escape() bool {
	if s.at+1 >= len(s.raw) {
		return false
	}
	switch s.raw[s.at+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at += 2
		return true
	case 'u':
		n, end := 0, s.at+6
		if end > len(s.raw) {
			return false
		}
		for _, c := range s.raw[s.at+2 : end] {
			switch {
			case c >= '0' && c <= '9':
				n = n<<4 | int(c-'0')
			case c|0x20 >= 'a' && c|0x20 <= 'f':
				n = n<<4 | int(c|0x20-'a'+10)
			default:
				return false
			}
		}
		s.at = end
		return n < 0xd800 || n > 0xdfff
	}
	return false
}
