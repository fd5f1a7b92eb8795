package definition

import (
	"fmt"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

const idHidden = "unicode.hidden"

// inspectHidden reports invisible characters, and private ones whose appearance is unknown. A definition needs none
// of them. It ignores those that belong to a visible character, such as the joiner in an emoji. Several kinds
// together, or enough of them to encode a text, are critical.
func inspectHidden(tool *ToolView, _ *RegistryView) []Signal {
	r := tool.read()
	var out []Signal
	for i := range r.doc.Parts {
		p := &r.doc.Parts[i]
		if p.Opened() || !mayHide(p) {
			continue
		}
		if s, ok := unseen(p.Text); ok {
			s.Path = r.path(*p)
			out = append(out, s)
		}
	}
	return out
}

// mayHide reports whether a part can contain invisible characters.
func mayHide(p *text.Part) bool {
	return !p.Plain() ||
		strings.ContainsFunc(p.Text, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' && c != '\r' })
}

// minSpelled is the number of hidden characters that can encode a text.
const minSpelled = 4

// unseen returns a signal for the hidden characters of s.
func unseen(s string) (Signal, bool) {
	n := 0
	first := -1
	faint := 0
	sorts := map[string]bool{}
	var seen strings.Builder
	scan.Unseen(s, func(at int, c rune) {
		if c == '\x1b' || c == 0x9b {
			return // a terminal code, which another check reports
		}
		if first < 0 {
			first = at
		}
		if c < ' ' || c == 0x7f {
			faint++
		}
		n++
		sorts[sortOf(c)] = true
		if n <= 6 {
			fmt.Fprintf(&seen, " U+%04X", c)
		}
	})
	if n == 0 {
		return Signal{}, false
	}
	out := Signal{
		Tier:       scan.TierHard,
		ThreatType: threatInjection,
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Evidence:   fmt.Sprintf("%d hidden:%s near %q", n, seen.String(), scan.Visible(around(s, first, first+4))),
		Detail:     "The text holds characters that people do not see.",
	}
	switch {
	case faint == n && !strings.Contains(s, "\b\b\b"): // control characters, mostly errors in escaping
		out.Tier = scan.TierSoft
		out.Severity = mcpproxy.SeverityLow
		out.Confidence = 0.4
	case len(sorts) > 1 || n >= minSpelled || sorts["direction"] || sorts["tag"]:
		out.Severity, out.Confidence = mcpproxy.SeverityCritical, 1
	}
	return out, true
}

// sortOf returns the name of the kind of a hidden character.
func sortOf(c rune) string {
	switch {
	case c >= 0x202a && c <= 0x202e, c >= 0x2066 && c <= 0x2069:
		return "direction"
	case c >= 0xe0000 && c <= 0xe007f:
		return "tag"
	case unicode.Is(unicode.Co, c):
		return "private"
	case unicode.Is(unicode.Variation_Selector, c):
		return "variation"
	case c < 0xa0:
		return "control"
	}
	return "zero width"
}

const idEscape = "ansi.escape"

// inspectEscape reports terminal control sequences, which no definition needs: they hide, overwrite or colour what a
// person sees in a terminal.
func inspectEscape(tool *ToolView, _ *RegistryView) []Signal {
	r := tool.read()
	var out []Signal
	for i := range r.doc.Parts {
		p := &r.doc.Parts[i]
		if p.Opened() || p.Plain() {
			continue
		}
		at := strings.IndexFunc(p.Text, func(c rune) bool { return c == '\x1b' || c == 0x9b })
		if at < 0 {
			continue
		}
		out = append(out, Signal{
			Tier:       scan.TierHard,
			ThreatType: threatPoisoning,
			Severity:   mcpproxy.SeverityHigh,
			Confidence: 0.95,
			Evidence:   scan.Visible(around(p.Text, at, at+8)),
			Detail:     "The text holds terminal control sequences.",
			Path:       r.path(*p),
		})
	}
	return out
}
