package definition

import (
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
)

// details are descriptions of the rows' findings.
var details = map[string]string{
	rowSecrets: "The text makes the model reach for files or values that hold secrets.",
	rowTalk:    "The text makes the model hand over the conversation or its instructions.",
	rowSecrecy: "The text keeps from the user what is being done.",
	rowConsent: "The text takes a decision away from the user, or tells what the tool will do later.",
	rowReach:   "The text asks for shells, secrets or privileges that the tool does not need.",
	rowSteer:   "The text changes how other tools are used.",
	rowHeed:    "The text turns other texts into orders, or removes limits.",
	rowFeign:   "The text says what the user should be led to believe.",
	rowPretext: "The text gives a pretext for asking for data, or asks for it every time.",
	rowLater:   "The text tells what the tool will do once nobody is watching.",
	rowMaster:  "The text tells the model to obey somebody else.",
	rowTamper:  "The text changes amounts, recipients or links that the user relies on.",
	rowSerious: "The text makes the model change something that no stranger may change.",
	rowAddress: "The text gives orders to the model behind people's backs.",
	rowPrefer:  "The text pushes its tool before all others.",
}

// describe returns a one-sentence description of a note.
func describe(n note) string {
	if d := details[n.Check]; d != "" {
		return d
	}
	return n.Detail
}

// softer returns the severity of soft signals of a kind whose hard signals have severity s.
func softer(s mcpproxy.Severity) mcpproxy.Severity {
	switch s {
	case mcpproxy.SeverityCritical, mcpproxy.SeverityHigh:
		return mcpproxy.SeverityMedium
	}
	return mcpproxy.SeverityLow
}

// maxEvidence is the maximum length of evidence, in characters.
const maxEvidence = 160

// cut shortens evidence and escapes characters that are not safe to print.
func cut(s string) string {
	s = scan.Printable(s[:min(len(s), 8*maxEvidence)])
	n := 0
	for i := range s {
		if n++; n == maxEvidence && len(s) > i+1 {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}

// around returns s from start to end with some text around it.
func around(s string, start, end int) string {
	from, to := max(0, start-40), min(len(s), end+80)
	return strings.ToValidUTF8(s[from:to], "")
}
