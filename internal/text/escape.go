package text

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxPasses is the maximum number of times that escapes of escapes are decoded.
const maxPasses = 4

// unescape decodes the escapes of URLs (RFC 3986), JSON and JavaScript, and HTML, repeatedly until there are none
// left.
func unescape(v *View) []*View {
	last := v
	for range maxPasses {
		if strings.IndexByte(last.Text, '%') < 0 && strings.IndexByte(last.Text, '\\') < 0 &&
			strings.IndexByte(last.Text, '&') < 0 {
			break
		}
		b, count := replaceAt(last.Text, &escapeLeads, escapeAt)
		if count == 0 {
			break
		}
		last = b.view(last, "escapes")
	}
	if last == v {
		return nil
	}
	return []*View{last}
}

// minQuoted is the minimum number of quoted-printable escapes in a text.
const minQuoted = 2

// unquote decodes quoted-printable (RFC 2045).
func unquote(v *View) []*View {
	if strings.IndexByte(v.Text, '=') < 0 {
		return nil
	}
	b, count := replaceAt(v.Text, &quotedLeads, quotedAt)
	if count < minQuoted {
		return nil
	}
	return []*View{b.view(v, "quoted-printable")}
}

// The context of each escape that is read: at least nearEscape bytes, then up to white space, but at most
// farFromEscape.
const (
	nearEscape    = 160
	farFromEscape = 1024
)

// replaceAt replaces the escapes that read decodes, and keeps their context; the rest of s is unchanged and need not
// be read again. leads marks the first bytes of escapes. read returns the decoded text and the length of the escape,
// or 0 if there is none. replaceAt also returns the number of replacements.
func replaceAt(s string, leads *[256]bool, read func(s string) (string, int)) (b builder, count int) {
	copied := 0 // of s
	for i := nextLead(s, 0, leads); i < len(s); {
		text, n := read(s[i:])
		if n == 0 {
			i = nextLead(s, i+1, leads)
			continue
		}
		count++
		if i > copied {
			from := back(s, i, copied)
			if count > 1 {
				end := ahead(s, copied, i)
				if end < from {
					b.copy(s[copied:end], copied)
					b.put("\n", end, 1)
				} else {
					from = copied
				}
			}
			b.copy(s[from:i], from)
		}
		b.put(text, i, n)
		copied = i + n
		i = nextLead(s, copied, leads)
	}
	if count > 0 {
		b.copy(s[copied:ahead(s, copied, len(s))], copied)
	}
	return b, count
}

// back returns the start of the context before byte at, not before limit.
func back(s string, at, limit int) int {
	from := max(at-nearEscape, limit)
	for from > limit && at-from < farFromEscape && s[from-1] > ' ' {
		from--
	}
	return from
}

// ahead returns the end of the context after byte at, not after limit.
func ahead(s string, at, limit int) int {
	end := min(at+nearEscape, limit)
	for end < limit && end-at < farFromEscape && s[end] > ' ' {
		end++
	}
	return end
}

// nextLead returns the position of the next byte in leads.
func nextLead(s string, from int, leads *[256]bool) int {
	for i := from; i < len(s); i++ {
		if leads[s[i]] {
			return i
		}
	}
	return len(s)
}

var (
	escapeLeads = [256]bool{'%': true, '\\': true, '&': true}
	quotedLeads = [256]bool{'=': true}
)

// escapeAt decodes the escape at the beginning of s.
func escapeAt(s string) (string, int) {
	switch s[0] {
	case '%':
		return hexEscape(s, 1)
	case '\\':
		return backslash(s)
	}
	return entity(s)
}

// quotedAt decodes =XX and soft line breaks, which are removed.
func quotedAt(s string) (string, int) {
	switch {
	case strings.HasPrefix(s, "=\n"):
		return "", 2
	case strings.HasPrefix(s, "=\r\n"):
		return "", 3
	case len(s) > 2 && upperHex(s[1]) && upperHex(s[2]):
		return hexEscape(s, 1)
	}
	return "", 0
}

// hexEscape decodes %XX, \xXX or =XX together with the following escapes of the same form, if they are one UTF-8
// character.
func hexEscape(s string, lead int) (string, int) {
	var buf [utf8.UTFMax]byte
	n := 0
	for at := 0; n < utf8.UTFMax && at+lead+2 <= len(s) && s[at:at+lead] == s[:lead]; at += lead + 2 {
		high, low := unhex(s[at+lead]), unhex(s[at+lead+1])
		if high < 0 || low < 0 {
			break
		}
		buf[n] = byte(high<<4 | low)
		n++
		if utf8.FullRune(buf[:n]) {
			if r, size := utf8.DecodeRune(buf[:n]); r != utf8.RuneError && size == n {
				return string(buf[:n]), at + lead + 2
			}
			break
		}
	}
	return "", 0
}

// simple are the one-letter escapes.
var simple = map[byte]string{
	'n':  "\n",
	'r':  "\r",
	't':  "\t",
	'"':  `"`,
	'\'': "'",
	'\\': `\`,
	'/':  "/",
	'`':  "`",
}

// backslash decodes an escape of JSON, JavaScript, C or a shell.
func backslash(s string) (string, int) {
	if len(s) < 2 {
		return "", 0
	}
	if t, ok := simple[s[1]]; ok {
		return t, 2
	}
	switch c := s[1]; {
	case c == 'x' || c == 'X':
		return hexEscape(s, 2)
	case c == 'u' || c == 'U':
		return unicodeEscape(s)
	case c >= '0' && c <= '3' && len(s) >= 4: // octal
		if n, err := strconv.ParseUint(s[1:4], 8, 8); err == nil && n < utf8.RuneSelf && n > 0 {
			return string(rune(n)), 4
		}
	}
	return "", 0
}

// unicodeEscape decodes \uXXXX, also as a surrogate pair, \u{X…} and \UXXXXXXXX.
func unicodeEscape(s string) (string, int) {
	if len(s) > 3 && s[2] == '{' {
		if end := strings.IndexByte(s[:min(len(s), 12)], '}'); end > 3 {
			if n, err := strconv.ParseUint(s[3:end], 16, 32); err == nil && utf8.ValidRune(rune(n)) {
				return string(rune(n)), end + 1
			}
		}
		return "", 0
	}
	if s[1] == 'U' && len(s) >= 10 {
		if n, err := strconv.ParseUint(s[2:10], 16, 32); err == nil && n <= utf8.MaxRune && utf8.ValidRune(rune(n)) {
			return string(rune(n)), 10
		}
	}
	r, ok := fourHex(s)
	if !ok {
		return "", 0
	}
	if utf16.IsSurrogate(r) {
		if low, ok := fourHex(s[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return string(pair), 12
			}
		}
		return "", 0
	}
	return string(r), 6
}

func fourHex(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(n), err == nil
}

// maxEntity is the maximum length of an entity.
const maxEntity = 12

// entity decodes an HTML character reference.
func entity(s string) (string, int) {
	end := strings.IndexByte(s[:min(len(s), maxEntity)], ';')
	if end < 2 {
		return "", 0
	}
	if t := html.UnescapeString(s[:end+1]); t != s[:end+1] && len(t) <= utf8.UTFMax {
		return t, end + 1
	}
	return "", 0
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func upperHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' }
