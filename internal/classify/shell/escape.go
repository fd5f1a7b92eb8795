package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unquoteLit removes the backslashes from a literal.
func unquoteLit(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// simpleEscapes maps the letter of an escape to the byte that it means.
var simpleEscapes = map[byte]byte{
	'a':  7,
	'b':  8,
	'e':  27,
	'E':  27,
	'f':  12,
	'n':  '\n',
	'r':  '\r',
	't':  '\t',
	'v':  11,
	'\\': '\\',
	'\'': '\'',
	'"':  '"',
	'?':  '?',
}

// unescape decodes the escapes of $'…', printf and echo -e.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if c, ok := simpleEscapes[s[i]]; ok {
			b.WriteByte(c)
			continue
		}
		from := i + 1
		base := 16
		width := 0
		switch s[i] {
		case 'x':
			width = 2
		case 'u':
			width = 4
		case 'U':
			width = 8
		case '0', '1', '2', '3', '4', '5', '6', '7':
			from = i
			base = 8
			width = 3
			if s[i] == '0' {
				width = 4
			}
		}
		to := from
		for to < len(s) && to-from < width && digit(s[to]) < base {
			to++
		}
		n, err := strconv.ParseUint(s[from:to], base, 32)
		switch {
		case err != nil:
			b.WriteString(s[i-1 : i+1])
			continue
		case s[i] == 'u' || s[i] == 'U':
			b.Write(utf8.AppendRune(nil, rune(n)))
		default:
			b.WriteByte(byte(n))
		}
		i = to - 1
	}
	return b.String()
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}
