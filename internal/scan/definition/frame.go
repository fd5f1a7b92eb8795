package definition

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
)

// frameNames are tags that mark a part of a definition for the model only; people overlook them.
var frameNames = []string{
	"IMPORTANT",
	"HIDDEN",
	"SYSTEM",
	"SECRET",
	"CRITICAL",
	"ADMIN",
	"OVERRIDE",
	"SYS",
	"INSTRUCTIONS",
	"INSTRUCTION",
	"URGENT",
	"PRIORITY",
	"ASSISTANT",
	"SYSTEM_PROMPT",
	"SYSTEM-PROMPT",
	"DIRECTIVE",
	"MANDATORY",
	"INTERNAL",
	"PRIVATE",
	"CONFIDENTIAL",
}

// frames reports tags such as <IMPORTANT> with a closing tag. In capitals they are typical of attacks; legitimate
// authors use some of them in lower case.
func frames(tool *ToolView, pick func(where) bool) []Signal {
	r := tool.read()
	var out []Signal
	for _, p := range r.doc.Parts {
		if p.Opened() || !strings.Contains(p.Text, "</") && !bracketed(p.Text) {
			continue
		}
		path := r.path(p)
		if !pick(placeOf(path, p.Kind)) {
			continue
		}
		if bracketed(p.Text) {
			if points, _ := steerPoints(p.Text, 0, 1); points >= steerBracket {
				out = append(out, Signal{
					Tier:       scan.TierHard,
					ThreatType: threatPoisoning,
					Severity:   mcpproxy.SeverityHigh,
					Confidence: 0.75,
					Evidence:   around(p.Text, 0, 1),
					Detail:     "A mark in brackets presents the text after it as an order to the model.",
					Path:       path,
				})
				continue
			}
		}
		if start, end, loud := frame(p.Text); end > 0 {
			s := Signal{
				Tier:       scan.TierSoft,
				ThreatType: threatPoisoning,
				Severity:   mcpproxy.SeverityMedium,
				Confidence: 0.5,
				Evidence:   p.Text[start:end],
				Detail:     "A tag marks a part of the text for the model.",
				Path:       path,
			}
			if loud {
				s.Tier = scan.TierHard
				s.Severity = mcpproxy.SeverityHigh
				s.Confidence = 0.8
			}
			out = append(out, s)
		}
	}
	return out
}

// steerBracket is the number of steering words from which the text after a mark in brackets is an order.
const steerBracket = 2

// bracketed reports whether s begins with a mark such as [IMPORTANT].
func bracketed(s string) bool {
	s = strings.TrimLeft(s, " \t\n*")
	if len(s) < 4 || s[0] != '[' {
		return false
	}
	end := strings.IndexByte(s[:min(len(s), 24)], ']')
	return end > 0 &&
		slices.ContainsFunc(frameNames, func(name string) bool { return strings.EqualFold(s[1:end], name) })
}

// frame finds the first frame in s. loud says that its name is in capitals. end is 0 if there is none.
func frame(s string) (start, end int, loud bool) {
	for i := 0; i < len(s); {
		next := strings.IndexByte(s[i:], '<')
		if next < 0 {
			return 0, 0, false
		}
		i += next + 1
		close := strings.IndexByte(s[i:min(len(s), i+24)], '>')
		if close < 1 {
			continue
		}
		name := strings.Trim(s[i:i+close], " *!")
		for _, known := range frameNames {
			if !strings.EqualFold(name, known) {
				continue
			}
			if tail := strings.Index(s[i:], "</"+name); tail >= 0 {
				return i - 1, i + min(tail+len(name)+3, len(s)-i), name == known
			}
			return 0, 0, false // no later frame with that name has a closing tag either
		}
	}
	return 0, 0, false
}
