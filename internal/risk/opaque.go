package risk

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/text"
)

const (
	minPayload = 64  // minimum number of characters of a payload
	minLine    = 56  // minimum length of a line that continues on the next
	punctuated = 0.2 // share of punctuation in a random text of all ASCII
)

// Opaque finds the first unreadable payload of a document: a run of at least 64 characters that looks random and that
// no view decodes, as encrypted and compressed data does. It ignores digests, which look the same but are too short
// to carry much, and runs that are part of one of the known values. show formats member names in the signal's path.
func Opaque(doc *text.Document, show func(name string) string, known ...string) (mcpproxy.Signal, bool) {
	for _, v := range doc.Views() {
		if v.Mirrored() {
			continue
		}
		run, a := payload(v.Text, known)
		if a != nil && v.ClosedUp() && a.class != encoded {
			continue // a list of numbers or of short digests
		}
		if a != nil {
			return mcpproxy.Signal{
				Source:     mcpproxy.SourceStatic,
				Kind:       mcpproxy.KindOpaquePayload,
				Category:   "exfiltration",
				Severity:   mcpproxy.SeverityMedium,
				Confidence: 0.7,
				Path:       doc.Paths(show)(doc.Parts[v.Part]),
				Evidence:   fmt.Sprintf("%d characters of %s that cannot be decoded", len(run), a.name),
			}, true
		}
	}
	return mcpproxy.Signal{}, false
}

// payload returns the first payload in s.
func payload(s string, known []string) (string, *alphabet) {
	for i := 0; i < len(s); {
		if !classOf[s[i]].in(printable) {
			i++
			continue
		}
		end := i
		for end < len(s) && classOf[s[end]].in(printable) {
			end++
		}
		run, a, next := ofWord(s, i, end, known)
		if a != nil {
			return run, a
		}
		i = next
	}
	return "", nil
}

// ofWord returns the first payload that begins in the word s[start:end], or the position at which to continue. In the
// path of a URL a slash separates words.
func ofWord(s string, start, end int, known []string) (string, *alphabet, int) {
	word := s[start:end]
	address := strings.Contains(word, "://")
	a := &alphabets[len(alphabets)-1]
	if len(word) >= minPayload && !address && a.drawn(word) && !within(word, known) {
		return word, a, end
	}
	i, path := start, address
	for i < end {
		run := stretch(s, i, path)
		for _, piece := range pieces(run) {
			if a := hides(piece); a != nil && !within(piece, known) {
				return piece, a, end
			}
		}
		if i += len(run); i < end {
			path = path && s[i] != '?' && s[i] != '#'
			i++
		}
	}
	return "", nil, i
}

// within reports whether a run is part of one of the known values.
func within(run string, known []string) bool {
	return slices.ContainsFunc(known, func(k string) bool { return strings.Contains(k, run) })
}

// stretch returns the run of base64 characters at byte i of s. A long line continues on the next.
func stretch(s string, i int, path bool) string {
	start, line := i, i
	for i < len(s) {
		switch next := i + len(lineEnd(s[i:])); {
		case classOf[s[i]].in(encoded) && (s[i] != '/' || !path):
			i++
		case next > i && i-line >= minLine && next < len(s) && classOf[s[next]].in(encoded):
			i, line = next, next
		default:
			return s[start:i]
		}
	}
	return s[start:]
}

func lineEnd(s string) string {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return s[:2]
	case strings.HasPrefix(s, "\n"):
		return s[:1]
	}
	return ""
}

// pieces splits a run that contains characters of both base64 alphabets, because it is then a path and not base64.
func pieces(run string) []string {
	if len(run) < minPayload {
		return nil
	}
	if strings.ContainsAny(run, "+/") && strings.ContainsAny(run, "-_") {
		return strings.FieldsFunc(run, func(r rune) bool { return r == '/' || r == '+' })
	}
	return []string{run}
}

// hides returns the alphabet in which a run looks random, unless the run is a digest or can be decoded.
func hides(run string) *alphabet {
	if len(run) < minPayload || digest(run) {
		return nil
	}
	a := alphabetOf(run)
	if a == nil || !a.drawn(run) || decodes(run) {
		return nil
	}
	return a
}

// digest reports whether a run has the form of a SHA-2 digest: in hexadecimal,
// or in base64 as in lock files.
func digest(run string) bool {
	if a := alphabetOf(run); a != nil && a.name == "hexadecimal" {
		return len(run) == 64 || len(run) == 96 || len(run) == 128
	}
	for prefix, length := range map[string]int{"sha384-": 64, "sha512-": 86} {
		if rest, ok := strings.CutPrefix(run, prefix); ok && len(rest) == length {
			return true
		}
	}
	return false
}

// decodes reports whether some view decodes the run.
func decodes(run string) bool {
	doc, err := text.Parse(text.Quote(run), "")
	if err != nil {
		return false
	}
	for _, v := range doc.Views() {
		for _, how := range []string{"base64", "base32", "hex", "character codes"} {
			if strings.HasPrefix(v.How, how) {
				return true
			}
		}
	}
	return false
}

// drawn reports whether the characters of s are distributed as evenly as random ones.
func (a *alphabet) drawn(s string) bool {
	var counts [256]int
	n, marks := 0, 0
	for i := range len(s) {
		if s[i] > ' ' {
			counts[s[i]]++
			n++
		}
		if !classOf[s[i]].in(encoded) {
			marks++
		}
	}
	if a.class == printable && float64(marks) < punctuated*float64(n) {
		return false
	}
	entropy := 0.0
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / float64(n)
			entropy -= p * math.Log2(p)
		}
	}
	// The observed entropy of n random characters is lower by Miller's bias.
	expected := math.Log2(a.size) - (a.size-1)/(2*float64(n)*math.Ln2)
	return entropy >= a.share*expected
}
