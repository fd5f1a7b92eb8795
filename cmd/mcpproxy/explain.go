package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/explain"
)

func explainCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "explain ID", Short: "Say why a call was stopped, and what would have allowed it", Args: cobra.ExactArgs(1),
		Example: "  mcpproxy explain 01JD3ZK4V2M5Q8XW7R6T0B9YHE",
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := fetchRecord(cmd.Context(), g, args[0])
			if err != nil {
				return err
			}
			e := explain.Of(r)
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), e, nil)
			}
			tell(cmd.OutOrStdout(), e, g.config)
			return nil
		},
	}
}

// tell explains a record to a person.
func tell(w io.Writer, e explain.Explanation, file string) {
	p, r := colours(w), e.Record
	tellHeading(w, r)
	if r.Metadata.Reason != "" {
		fmt.Fprintf(w, "\n%s\n", plain(r.Metadata.Reason))
	}
	if r.Rule != "" {
		fmt.Fprintf(w, "Rule: %s\n", r.Rule)
	}
	if r.Metadata.Approval != "" {
		fmt.Fprintf(w, "Asked: a person, by request %s (mcpproxy activity show %s)\n", r.Metadata.Approval, r.Metadata.Approval)
	}
	also := "would also be stopped"
	if r.Decision == mcpproxy.Allow || r.Decision == mcpproxy.Warn || r.Decision == mcpproxy.Redact {
		also = "was also noticed"
	}
	for _, rule := range e.Also {
		fmt.Fprintf(w, "      It %s by %s\n", also, rule)
	}
	if c := r.Metadata.Classification; c != nil {
		fmt.Fprintf(w, "Destination: %s (by %s, confidence %.2f); the call is a %s operation.\n", c.Side, c.Method, c.Confidence, r.Metadata.Operation)
	}
	for _, edge := range r.Metadata.Edges {
		tellEdge(w, edge)
	}
	for _, c := range r.Metadata.Contradictions {
		fmt.Fprintf(w, "Contradiction: %s says %s, %s says %s (severity %d, %s)\n", plain(c.Signal1), plain(c.Claim1),
			plain(c.Signal2), plain(c.Claim2), c.Severity, c.Action)
		fmt.Fprintf(w, "      %s\n", plain(c.Explanation))
		if c.Quarantine {
			fmt.Fprintf(w, "      It is the server that does not say the truth.\n")
		}
	}
	for _, s := range r.Metadata.Signals {
		if s.Kind == mcpproxy.KindContradiction {
			continue // told above
		}
		at := ""
		if s.Path != "" {
			at = ", at " + plain(s.Path)
		}
		fmt.Fprintf(w, "Signal: %s %s, confidence %.2f%s %s\n", s.Severity, s.Kind, s.Confidence, at, p.dim(plain(s.Evidence)+suppressed(s)))
	}
	tellScore(w, e)
	fmt.Fprintf(w, "\n%s\n", e.Meaning)
	if e.Command != "" {
		fmt.Fprintf(w, "Run: %s\n", e.Command)
	}
	if e.Allow != "" {
		fmt.Fprintf(w, "Put this into %s:\n\n%s\n", file, e.Allow)
	}
}

// tellHeading names a record and what became of it; of a record that is about no call,
// its kind, and no risk where none was weighed.
func tellHeading(w io.Writer, r *mcpproxy.Record) {
	p := colours(w)
	heading := p.bold(plain(cmp.Or(toolName(r), string(r.Type))))
	if r.Decision != "" {
		heading += " " + p.decision(string(r.Decision))
	}
	heading += "  " + r.Timestamp.Local().Format("2006-01-02 15:04:05")
	if r.RiskLevel != "" {
		heading += "  risk " + riskCell(r)
	}
	fmt.Fprintln(w, heading)
}

// suppressed says that a signal does not count.
func suppressed(s mcpproxy.Signal) string {
	if !s.Suppressed {
		return ""
	}
	return " (suppressed)"
}

// tellEdge says where data came from, how it was recognised and who chose where
// it goes.
func tellEdge(w io.Writer, e mcpproxy.Edge) {
	fmt.Fprintf(w, "Flow: %s from %s, activity %s, found at %s (%s)\n", e.Type, plain(e.From.Name()), e.From.CallID,
		plain(e.Path), plain(recognised(e)))
	if e.Evidence != "" {
		fmt.Fprintf(w, "      It reads: %s\n", colours(w).dim(plain(e.Evidence)))
	}
	if e.Destination != "" {
		fmt.Fprintf(w, "      Where it goes was chosen by: %s\n", chosenBy[e.Destination])
	}
}

// chosenBy are the sources of a destination, in words.
var chosenBy = map[mcpproxy.DestinationSource]string{
	mcpproxy.FromUser:      "the user's own words",
	mcpproxy.FromInternal:  "a trusted result",
	mcpproxy.FromNowhere:   "nothing that was seen",
	mcpproxy.FromUntrusted: "a result that strangers may have written",
	mcpproxy.FromInjected:  "an instruction hidden in a result",
}
