package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// Normal returns the normal form of p.
func (p Part) Normal() string {
	if p.ascii {
		return p.Text
	}
	return NormalForm(p.Text)
}

// NormalForm returns s as a reader sees it: in Unicode normalisation form KC, without format characters (category
// Cf), variation selectors and terminal escape codes, and with letters of other scripts replaced where they pass for
// Latin ones in a Latin word. Case is kept.
func NormalForm(s string) string {
	if isASCII(s) && !hasEscapeCode(s) {
		return s
	}
	return normalView(&View{Text: s}).Text
}

// normalView returns the normal form of v, or v itself if it is in normal form.
func normalView(v *View) *View {
	n := v
	for _, stage := range []func(string) (builder, bool){visible, withoutCodes, compose, foldLookalikes} {
		if b, changed := stage(n.Text); changed {
			n = b.view(n, "normal form")
			n.depth = v.depth
		}
	}
	return n
}

// visible removes invisible characters: format characters and variation selectors. It reports whether there were any.
func visible(s string) (builder, bool) {
	return without(s, asciiRun, func(s string) int {
		r, size := utf8.DecodeRuneInString(s)
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return size
		}
		return 0
	})
}

// withoutCodes removes terminal escape codes.
func withoutCodes(s string) (builder, bool) {
	if !hasEscapeCode(s) {
		return builder{}, false
	}
	return without(s, func(s string) int {
		if n := strings.IndexByte(s, '\x1b'); n >= 0 {
			return n
		}
		return len(s)
	}, escapeCode)
}

// without removes stretches of s. remove returns the length of a stretch at its beginning, and skip returns how many
// bytes before it need not be checked.
func without(s string, skip, remove func(s string) int) (builder, bool) {
	var b builder
	start := 0
	for i := skip(s); i < len(s); i += skip(s[i:]) {
		n := remove(s[i:])
		if n == 0 {
			i++
			continue
		}
		b.copy(s[start:i], start)
		i += n
		start = i
	}
	if start == 0 {
		return b, false
	}
	b.copy(s[start:], start)
	return b, true
}

// compose converts s to normalisation form KC. The stretch between two boundaries of normalisation maps to its source
// as a whole.
func compose(s string) (builder, bool) {
	var b builder
	copied := 0 // of s
	for at := plainRun(s); at < len(s); at += plainRun(s[at:]) {
		n := norm.NFKC.NextBoundaryInString(s[at:], true)
		if n <= 0 {
			n = len(s) - at
		}
		if composed := norm.NFKC.String(s[at : at+n]); composed != s[at:at+n] {
			b.copy(s[copied:at], copied)
			b.put(composed, at, n)
			copied = at + n
		}
		at += n
	}
	if copied == 0 {
		return b, false
	}
	b.copy(s[copied:], copied)
	return b, true
}

// plainRun returns the length of the ASCII text at the beginning of s that no following character can change.
func plainRun(s string) int {
	n := asciiRun(s)
	if n < len(s) && n > 0 {
		n-- // an accent may follow the last one
	}
	return n
}

// hasEscapeCode reports whether s may contain a terminal escape code.
func hasEscapeCode(s string) bool { return strings.IndexByte(s, '\x1b') >= 0 }

// maxEscapeCode is the maximum length of a terminal escape code.
const maxEscapeCode = 256

// escapeCode returns the length of the terminal escape code (ECMA-48) at the beginning of s, or 0.
func escapeCode(s string) int {
	if s[0] != '\x1b' {
		return 0
	}
	if len(s) < 2 || s[1] < ' ' || s[1] > '~' {
		return 1
	}
	limit := min(len(s), maxEscapeCode)
	switch s[1] {
	case '[': // a control sequence: parameters, then a final byte
		for i := 2; i < limit; i++ {
			if s[i] >= '@' && s[i] <= '~' {
				return i + 1
			}
			if s[i] < ' ' || s[i] > '?' {
				break
			}
		}
	case ']', 'P', '_', '^', 'X': // a string: until BEL or ESC \
		for i := 2; i < limit; i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == '\x1b' && i+1 < limit && s[i+1] == '\\' {
				return i + 2
			}
		}
	}
	return 2
}

// Folded returns the form in which reformatted text is compared: the normal form in lower case, with runs of white
// space replaced by one space and removed at the ends (spec-027, FR-012).
func Folded(s string) string { return FoldedNormal(NormalForm(s)) }

// FoldedNormal is [Folded] for a text in normal form.
func FoldedNormal(n string) string { return string(AppendFoldedNormal(nil, n)) }

// AppendFoldedNormal appends [FoldedNormal] of n to dst.
func AppendFoldedNormal(dst []byte, n string) []byte {
	if !isASCII(n) {
		return append(dst, strings.Join(strings.Fields(strings.ToLower(n)), " ")...)
	}
	first := len(dst)
	dst = slices.Grow(dst, len(n))
	out := dst[first : first+len(n)]
	end, gap := 0, false
	for i := 0; i < len(n); i++ {
		c := folds[n[i]]
		if c == 0 {
			gap = end > 0
			continue
		}
		if gap {
			out[end] = ' '
			end++
			gap = false
		}
		out[end] = c
		end++
	}
	return dst[:first+end]
}

// folds maps each ASCII byte to lower case; 0 for white space and NUL.
var folds = func() (table [256]byte) {
	for c := range table {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
		case c >= 'A' && c <= 'Z':
			table[c] = byte(c) + 'a' - 'A'
		default:
			table[c] = byte(c)
		}
	}
	return table
}()

func isASCII(s string) bool { return asciiRun(s) == len(s) }

// asciiRun returns the length of the ASCII text at the beginning of s.
func asciiRun(s string) int {
	n := 0
	for ; len(s)-n >= 8; n += 8 { // most texts are ASCII throughout
		if t := s[n : n+8]; (t[0]|t[1]|t[2]|t[3]|t[4]|t[5]|t[6]|t[7])&utf8.RuneSelf != 0 {
			break
		}
	}
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// Quote returns s as a JSON string, so that it can be parsed as a document.
func Quote(s string) []byte {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8 is replaced by U+FFFD
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return b
}
