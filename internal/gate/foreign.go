package gate

import (
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// foreign returns the instructions in a result that others may have written. It leaves out those
// that the agent itself has written into a file, such as the prompt of another assistant: they
// come back when it edits or reads the file. An instruction without a place is kept.
func (g *Gate) foreign(d *Decided, r inspect.Reading) []scan.Finding {
	if len(r.Instructions) == 0 || d.Call.Channel != mcpproxy.ChannelHook || d.Call.Server != "" {
		return r.Instructions
	}
	files := g.tracker.Written(d.Call.FlowSession)
	if len(files) == 0 {
		return r.Instructions
	}
	return slices.DeleteFunc(slices.Clone(r.Instructions), func(f scan.Finding) bool {
		return len(f.Spans) > 0 && !slices.ContainsFunc(f.Spans, func(at text.Span) bool {
			return !wrote(files, r.Doc.Parts[at.Part].Text[at.Start:at.End])
		})
	})
}

// wrote reports whether every line of a text stands in a file that the agent has written. Agents
// number the lines of what they show.
func wrote(files map[string]string, s string) bool {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(strings.TrimLeftFunc(line, numbers))
		stands := false
		for _, file := range files {
			if stands = strings.Contains(file, line); stands {
				break
			}
		}
		if !stands {
			return false
		}
	}
	return true
}

// numbers reports whether a character belongs to the number that stands before a shown line.
func numbers(r rune) bool { return unicode.IsSpace(r) || unicode.IsDigit(r) || r == '→' }
