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

// foreign returns the instructions in a result that others may have written. It leaves out instructions that the
// agent itself has written to a file, such as a prompt for another assistant: they come back when the agent reads or
// edits the file. An instruction without a position is kept.
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

// wrote reports whether every line of a text is in a file that the agent has written. It ignores the line numbers
// that agents add to the lines that they show.
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

// numbers reports whether a character can belong to the line number before a line.
func numbers(r rune) bool { return unicode.IsSpace(r) || unicode.IsDigit(r) || r == '→' }
