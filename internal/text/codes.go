package text

import "strings"

// minCodes is the minimum number of consecutive character codes that form a text.
const minCodes = 8

// codes decodes character codes from byte start of v's text on, if all have the same separator: "41 4b 49",
// "41:4b:49", "0x41, 0x4b", or decimal "65, 75, 73". It returns their end, and a nil view if they do not form a text.
// next is start if there are no codes.
func codes(v *View, start int) (next int, view *View) {
	s := v.Text
	first, width := code(s, start)
	if width == 0 {
		return start, nil
	}
	gap := separatorAt(s, start+width)
	if gap == "" {
		return start, nil
	}
	count := 1
	allDecimal := first.isDecimal
	allHex := first.isHex
	end := start + width
	for strings.HasPrefix(s[end:], gap) && (allDecimal || allHex) {
		c, width := code(s, end+len(gap))
		if width == 0 {
			break
		}
		allDecimal, allHex = allDecimal && c.isDecimal, allHex && c.isHex
		if !allDecimal && !allHex {
			break
		}
		count++
		end += len(gap) + width
	}
	if count < minCodes { // nearly every number ends here
		return start, nil
	}
	decimals, hexes := make([]byte, 0, count), make([]byte, 0, count)
	for at := start; at < end; at += width + len(gap) {
		first, width = code(s, at)
		decimals, hexes = append(decimals, first.decimal), append(hexes, first.hex)
	}
	b := builder{marks: []mark{{0, start, end - start}}}
	if allHex {
		if b.text = textOf(hexes); b.text != nil {
			return end, b.view(v, "hex")
		}
	}
	if allDecimal {
		if b.text = textOf(decimals); b.text != nil {
			return end, b.view(v, "character codes")
		}
	}
	return end, nil
}

// mayBeCode reports whether a character code of two or three digits, or one with the prefix 0x, may be at byte at.
func mayBeCode(s string, at int) bool {
	if at+3 >= len(s) || charset[s[at]]&isHex == 0 {
		return false
	}
	b := s[at+1]
	if charset[b]&isHex == 0 {
		return b == 'x' || b == 'X'
	}
	return charset[s[at+2]]&isHex != 0 && !alnumByte[s[at+3]] || !alnumByte[s[at+2]]
}

// character is one character code in both readings, hexadecimal and decimal.
type character struct {
	decimal, hex     byte
	isDecimal, isHex bool
}

// code parses the character code at byte at of s and returns its length.
func code(s string, at int) (c character, width int) {
	prefix := 0
	if strings.HasPrefix(s[at:], "0x") || strings.HasPrefix(s[at:], "0X") {
		prefix = 2
	}
	n := 0
	digits := true
	hexValue := 0
	decimal := 0
	for i := at + prefix; i < len(s) && n <= 3; i++ {
		d := unhex(s[i])
		if d < 0 {
			if isAlnum(s[i]) {
				return c, 0
			}
			break
		}
		n++
		hexValue = hexValue<<4 | d
		decimal = decimal*10 + d
		digits = digits && d < 10
	}
	if n == 0 || n > 3 {
		return c, 0
	}
	c.isHex = n == 2
	c.isDecimal = prefix == 0 && digits && decimal >= '\t' && decimal < 0x7f
	if !c.isHex && !c.isDecimal {
		return c, 0
	}
	c.hex, c.decimal = byte(hexValue), byte(decimal)
	return c, prefix + n
}

// separatorAt returns the separator of two codes at byte at: one punctuation mark, possibly with a space after it.
func separatorAt(s string, at int) string {
	if at >= len(s) || strings.IndexByte(" ,;:-|\n", s[at]) < 0 {
		return ""
	}
	if at+1 < len(s) && s[at] != ' ' && s[at+1] == ' ' {
		return s[at : at+2]
	}
	return s[at : at+1]
}
