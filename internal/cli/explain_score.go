package cli

import (
	"fmt"
	"io"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/explain"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
)

// barPoints is the number of points for one character of a bar.
const barPoints = 5

// printScore prints the parts of the risk score, and the effect of its band.
func printScore(w io.Writer, e explain.Explanation) {
	r := e.Record
	if len(e.Parts) == 0 {
		return
	}
	band := mcpproxy.BandOf(r.RiskScore)
	fmt.Fprintf(w, "\nRisk score %d of 100: %s.\n", r.RiskScore, band.Action)
	for _, p := range e.Parts {
		note := ""
		switch {
		case p.Within != "":
			note = "says the same as " + p.Within
		case p.Inside:
			note = "stays inside, so it adds nothing"
		case p.Capped:
			note = "the rest would exceed the maximum of 100"
		}
		bar := strings.Repeat("#", int(p.Points+barPoints-1)/barPoints)
		fmt.Fprintf(
			w,
			"  %5.1f  %-20s %s (%s, weight %.1f) %s\n",
			p.Points,
			bar,
			term.Plain(p.Kind),
			p.Source,
			p.Weight,
			term.Colors(w).Dim(term.Plain(note)),
		)
	}
	fmt.Fprintf(w, "%s %3d     %-8s\n", markOf(r.RiskScore == 0), 0, mcpproxy.RiskNone) // below the first band
	for _, b := range mcpproxy.RiskBands {
		fmt.Fprintf(
			w,
			"%s %3d-%-3d %-8s %s\n",
			markOf(b == band && r.RiskScore > 0),
			max(b.From, 1),
			b.To,
			b.Level,
			b.Action,
		)
	}
	if r.RiskLevel.Rank() > risk.Level(r.RiskScore).Rank() {
		fmt.Fprintf(w, "The level is %s: the worst movement of data raises it above that of the score.\n", r.RiskLevel)
	}
	if r.Metadata.Flagged {
		fmt.Fprintf(w, "The call is flagged for review (%s).\n", policy.RuleFlag)
	}
}

// markOf returns the mark before the band of a score.
func markOf(here bool) string {
	if here {
		return ">"
	}
	return " "
}
