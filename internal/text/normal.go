package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// Normal is the normal form of p.
func (p Part) Normal() string {
	if p.ascii {
		return p.Text
	}
	return NormalForm(p.Text)
}

// NormalForm is how a reader sees s: in Unicode normalisation form KC, without
// format characters (category Cf), variation selectors and terminal escape
// codes, and with the letters of other scripts that pass for Latin ones in a
// Latin word replaced by them. Case is kept.
func NormalForm(s string) string {
	if isASCII(s) && !hasEscapeCode(s) {
		return s
	}
	return normalView(&View{Text: s}).Text
}

// normalView is the normal form of v, or v itself when that is its normal form.
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

// visible removes what is never seen: format characters and variation
// selectors. It reports whether there was any.
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

// without removes the stretches of s whose length remove gives, when it is
// asked at their start. Before each, skip says how much need not be looked at.
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

// compose brings s into normalisation form KC. A stretch between two boundaries
// of normalisation stands for its source as a whole.
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

// plainRun is the length of the ASCII text that s begins with and that nothing
// behind it can change.
func plainRun(s string) int {
	n := asciiRun(s)
	if n < len(s) && n > 0 {
		n-- // the last one may take an accent
	}
	return n
}

// hasEscapeCode reports whether s may hold a terminal escape code.
func hasEscapeCode(s string) bool { return strings.IndexByte(s, '\x1b') >= 0 }

// maxEscapeCode bounds the length of a terminal escape code.
const maxEscapeCode = 256

// escapeCode is the length of the terminal escape code (ECMA-48) that s begins
// with; 0 for none.
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

// Folded is the form in which reformatted text is compared: normal form, lower
// case, white space runs as one space, none at the ends (spec-027, FR-012).
func Folded(s string) string { return FoldedNormal(NormalForm(s)) }

// FoldedNormal is [Folded] for a text that is in normal form already.
func FoldedNormal(n string) string {
	if !isASCII(n) {
		return strings.Join(strings.Fields(strings.ToLower(n)), " ")
	}
	out := make([]byte, len(n))
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
	return string(out[:end])
}

// folds is each ASCII byte in lower case; 0 for white space and NUL.
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

// asciiRun is the length of the ASCII that s begins with.
func asciiRun(s string) int {
	n := 0
	for ; len(s)-n >= 8; n += 8 { // what most texts are throughout
		if t := s[n : n+8]; (t[0]|t[1]|t[2]|t[3]|t[4]|t[5]|t[6]|t[7])&utf8.RuneSelf != 0 {
			break
		}
	}
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// Quote is s as a JSON string, for reading it as a document of its own.
func Quote(s string) []byte {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8 is replaced by U+FFFD
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return b
}
