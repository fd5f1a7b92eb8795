package definition

import (
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
)

// details are descriptions of the rows' findings.
var details = map[string]string{
	rowSecrets: "The text tells the model to access files or values that contain secrets.",
	rowTalk:    "The text tells the model to disclose the conversation or its instructions.",
	rowSecrecy: "The text hides from the user what is done.",
	rowConsent: "The text takes a decision without the user, or announces what the tool will do later.",
	rowReach:   "The text asks for shells, secrets or privileges that the tool does not need.",
	rowSteer:   "The text changes how other tools are used.",
	rowHeed:    "The text turns other texts into orders, or removes limits.",
	rowFeign:   "The text says what the user should be led to believe.",
	rowPretext: "The text gives a pretext for asking for data, or asks for it every time.",
	rowLater:   "The text announces what the tool will do once nobody checks it.",
	rowMaster:  "The text tells the model to obey somebody else.",
	rowTamper:  "The text changes amounts, recipients or links that the user relies on.",
	rowSerious: "The text tells the model to change something that an outsider must not change.",
	rowAddress: "The text gives instructions to the model that reads the definition.",
	rowPrefer:  "The text promotes its tool over all others.",
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
