package hook

import "unicode/utf8"

// Close completes a JSON text that was cut off. It ends the open string, arrays and objects, and
// drops the last number, word or member name if it may be incomplete. ok is false if nothing can be
// kept. Close does not change raw.
func Close(raw []byte) (closed []byte, ok bool) {
	var c cut
	for i, b := range raw {
		c.take(i, b)
	}
	if c.inString && !c.isName {
		c.keep = c.whole(raw)
		c.depth = len(c.open)
		c.quoted = true
	}
	if c.keep == 0 {
		return nil, false
	}
	closed = append(make([]byte, 0, c.keep+c.depth+1), raw[:c.keep]...)
	if c.quoted {
		closed = append(closed, '"')
	}
	for i := c.depth - 1; i >= 0; i-- {
		closed = append(closed, c.open[i]+2) // in ASCII ']' is '[' + 2, and '}' is '{' + 2
	}
	return closed, true
}

// cut is the parser state of a truncated JSON text.
type cut struct {
	open     []byte // open brackets
	inString bool
	isName   bool // the string is the name of a member
	escape   int  // missing bytes of an escape sequence
	start    int  // start of the last escape sequence or character
	value    bool // a value is expected or has just begun; otherwise a member's name

	keep   int  // bytes that can be kept
	depth  int  // open brackets at that position
	quoted bool // the position is inside a string
}

// kept records that the text can be ended after i bytes.
func (c *cut) kept(i int) { c.keep, c.depth = i, len(c.open) }

func (c *cut) take(i int, b byte) {
	if c.inString {
		c.inText(i, b)
		return
	}
	switch b {
	case '"':
		c.inString = true
		c.isName = !c.value && c.inObject()
		c.start = i + 1
	case '{', '[':
		c.open = append(c.open, b)
		c.value = b == '['
		c.kept(i + 1)
	case '}', ']':
		if len(c.open) > 0 {
			c.open = c.open[:len(c.open)-1]
		}
		c.kept(i + 1)
	case ',':
		c.kept(i)
		c.value = !c.inObject()
	case ':':
		c.value = true
	}
}

func (c *cut) inObject() bool { return len(c.open) > 0 && c.open[len(c.open)-1] == '{' }

func (c *cut) inText(i int, b byte) {
	switch {
	case c.escape > 0:
		if c.escape--; b == 'u' && c.escape == 0 && i == c.start+1 {
			c.escape = 4
		}
		if c.escape == 0 {
			c.start = i + 1
		}
	case b == '\\':
		c.start, c.escape = i, 1
	case b == '"':
		c.inString = false
		if !c.isName {
			c.kept(i + 1)
		}
	default:
		c.start = i + 1
	}
}

// whole returns the length of raw, which ends inside a string, without an incomplete escape
// sequence or character.
func (c *cut) whole(raw []byte) int {
	end := len(raw)
	if c.escape > 0 {
		end = c.start
	}
	for back := 1; back < utf8.UTFMax && back <= end; back++ {
		if b := raw[end-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(raw[end-back : end]) {
				end -= back
			}
			break
		}
	}
	return end
}
