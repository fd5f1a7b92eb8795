package text

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

const (
	minRun   = 16 // minimum number of characters of an encoded text
	minBytes = 8  // minimum number of decoded bytes
)

// decodeRuns decodes texts in base64 (RFC 4648, both alphabets, also wrapped, truncated or inside other text),
// base32, hexadecimal and character codes. The result counts only if it is text or compressed text.
func decodeRuns(v *View) []*View {
	var out []*View
	lines := 0 // lines before this position are decoded separately
	candidates := candidates{s: v.Text}
	for i := candidates.next(0); i < len(v.Text); i = candidates.next(i) {
		out, i = decodeAt(out, v, i, &lines)
		for i < len(v.Text) && charset[v.Text[i]] != 0 { // character codes can end anywhere
			out, i = decodeAt(out, v, i, &lines)
		}
	}
	return out
}

// decodeAt decodes the run at byte i of v's text and returns the position after it.
func decodeAt(out []*View, v *View, i int, lines *int) ([]*View, int) {
	s, end := v.Text, i
	for end < len(s) && charset[s[end]]&isBase64 != 0 {
		end++
	}
	if mayBeCode(s, i) {
		if next, codes := codes(v, i); next > i {
			if codes != nil {
				out = append(out, codes)
			}
			return out, next
		}
	}
	if end-i < minRun {
		return out, end
	}
	end = runEnd(s, i, end, i >= *lines)
	found := decodeRun(v, i, end)
	if found == nil && i >= *lines {
		if line := strings.IndexAny(s[i:end], "\r\n"); line >= minRun { // the lines are not one text
			*lines, end = end, i+line
			found = decodeRun(v, i, end)
		}
	}
	if found != nil {
		return append(out, found), end
	}
	return decodeSegments(out, v, i, end), end
}

// decodeSegments decodes s[start:end] of v as a path, if it is not one encoded text: it tries everything after the
// first slash without the slashes, and each segment.
func decodeSegments(out []*View, v *View, start, end int) []*View {
	slash := strings.IndexByte(v.Text[start:end], '/')
	if slash < 0 {
		return out
	}
	from := start + slash + 1
	for from < end && v.Text[from] == '/' {
		from++
	}
	if end-from >= minRun {
		if found := decodeRun(v, from, end); found != nil {
			return append(out, found)
		}
		if strings.Contains(v.Text[from:end], "/") {
			if got, how := decode(strings.ReplaceAll(v.Text[from:end], "/", "")); got != nil {
				b := builder{text: got, marks: []mark{{0, from, end - from}}}
				return append(out, b.view(v, how))
			}
		}
	}
	for i := start; i < end; {
		next := end
		if n := strings.IndexByte(v.Text[i:end], '/'); n >= 0 {
			next = i + n
		}
		if next-i >= minRun {
			if found := decodeRun(v, i, next); found != nil {
				out = append(out, found)
			}
		}
		i = next + 1
	}
	return out
}

// The classes of characters of encodings.
const (
	isBase64 = 1 << iota
	isHex
	isUpper32  // base32 in capitals
	isLower32  // base32 in lower case
	isURL      // - and _, of URL-safe base64
	isStandard // + and /, of standard base64
)

var charset = func() (t [256]uint8) {
	for c := range t {
		b := byte(c)
		if isAlnum(b) || strings.IndexByte("+/-_", b) >= 0 {
			t[c] |= isBase64
		}
		if unhex(b) >= 0 {
			t[c] |= isHex
		}
		if b >= 'A' && b <= 'Z' || b >= '2' && b <= '7' {
			t[c] |= isUpper32
		}
		if b >= 'a' && b <= 'z' || b >= '2' && b <= '7' {
			t[c] |= isLower32
		}
		if b == '-' || b == '_' {
			t[c] |= isURL
		}
		if b == '+' || b == '/' {
			t[c] |= isStandard
		}
	}
	return t
}()

// classes returns the classes of any character of s, and the classes of all characters.
func classes(s string) (some, all uint8) {
	all = ^all
	for i := 0; i < len(s); i++ {
		c := charset[s[i]]
		some, all = some|c, all&c
	}
	return some, all
}

// onlyBase64 reports whether s consists of base64 characters.
func onlyBase64(s string) bool {
	for i := 0; i < len(s); i++ {
		if charset[s[i]]&isBase64 == 0 {
			return false
		}
	}
	return true
}

const (
	minWrapped  = 16 // minimum length of a line that continues on the next
	longWrapped = 56 // minimum length if the next line also contains other text
)

// runEnd returns the end of the run of base64 characters that begins at byte line and whose first line ends at byte
// i. A wrapped run continues after a line break if the line is long enough.
func runEnd(s string, line, i int, wrapped bool) int {
	for {
		next := i
		for wrapped && next < len(s) && next-i < 4 &&
			(s[next] == '\n' || s[next] == '\r' || s[next] == ' ' && next > i) {
			next++
		}
		if next == i || i-line < minWrapped || next == len(s) || charset[s[next]]&isBase64 == 0 || s[i] == ' ' ||
			i-line < longWrapped && !fullLine(s[next:]) {
			return i
		}
		line = next
		for i = next; i < len(s) && charset[s[i]]&isBase64 != 0; {
			i++
		}
	}
}

// fullLine reports whether the first line of s consists of base64 characters. It looks no further than the length of
// a line.
func fullLine(s string) bool {
	for i := 0; i < len(s) && i < longWrapped; i++ {
		if charset[s[i]]&isBase64 == 0 {
			return s[i] == '\n' || s[i] == '\r' || s[i] == '='
		}
	}
	return true
}

// decodeRun decodes s[start:end] of v in the narrowest encoding that gives text.
func decodeRun(v *View, start, end int) *View {
	run := v.Text[start:end]
	if _, all := classes(run); all&isBase64 == 0 {
		run = unwrapped(run)
	}
	got, how := decode(run)
	if got == nil {
		return nil
	}
	for end < len(v.Text) && v.Text[end] == '=' {
		end++
	}
	b := builder{text: got, marks: []mark{{0, start, end - start}}}
	return b.view(v, how)
}

// unwrapped removes the line breaks and the indentation of a run.
func unwrapped(run string) string {
	out := make([]byte, 0, len(run))
	for i := 0; i < len(run); i++ {
		if c := run[i]; c != '\r' && c != '\n' && c != ' ' {
			out = append(out, c)
		}
	}
	return string(out)
}

// decode decodes a run in the narrowest encoding that gives text.
func decode(run string) (got []byte, how string) {
	some, all := classes(run)
	if all&isHex != 0 {
		got, how = decodeHex(run), "hex"
	}
	if got == nil && all&(isUpper32|isLower32) != 0 {
		got, how = decodeBase32(run), "base32"
	}
	if got == nil && some&(isURL|isStandard) != isURL|isStandard {
		got, how = decodeBase64(run, some&isURL != 0), "base64"
	}
	return got, how
}

func decodeHex(s string) []byte {
	for shift := range 2 {
		t := s[shift:]
		t = t[:len(t)&^1]
		var head [sample / 2]byte
		n, err := hex.Decode(head[:], []byte(t[:min(len(t), sample)]))
		if err != nil || !looksDecoded(head[:n]) {
			continue
		}
		if whole, err := hex.DecodeString(t); err == nil {
			if got := textOf(whole); got != nil {
				return got
			}
		}
	}
	return nil
}

var base32Plain = base32.StdEncoding.WithPadding(base32.NoPadding)

func decodeBase32(s string) []byte {
	s = strings.ToUpper(s)
	for cut := 0; cut < 8 && len(s)-cut >= minRun; cut++ { // an incomplete group at the end
		if whole, err := base32Plain.DecodeString(s[:len(s)-cut]); err == nil {
			return textOf(whole)
		}
	}
	return nil
}

// sample is the number of characters of a run that are decoded to check whether the result is text.
const sample = 32

func decodeBase64(s string, forURL bool) []byte {
	encoding := base64.RawStdEncoding
	if forURL {
		encoding = base64.RawURLEncoding
	}
	for shift := 0; shift < 4 && len(s)-shift >= minRun; shift++ {
		t := s[shift:]
		if len(t)%4 == 1 {
			t = t[:len(t)-1]
		}
		var head [sample]byte
		n, err := encoding.Decode(head[:], []byte(t[:min(sample, len(t)&^3)]))
		if err != nil || !looksDecoded(head[:n]) && !isFile(head[:n]) {
			continue
		}
		if whole, err := encoding.DecodeString(t); err == nil {
			if isFile(whole) {
				return writing(whole)
			}
			if got := textOf(whole); got != nil {
				return got
			}
		}
	}
	return nil
}
