package cli

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/explain"
	"mcpproxy/internal/flow"
)

func explainCommand(g *globals) *cobra.Command {
	var applies, yes bool
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "Say why a call was stopped, and what would have allowed it",
		Args:  cobra.ExactArgs(1),
		Long: `Says why the call of an activity record was decided as it was, and what would have allowed it. With --apply, what a
person was to be asked about the call is approved for always: for calls that do the same, to the same destination, with
the same kinds of data, and for nothing wider. "mcpproxy approvals rules" lists such approvals, and
"mcpproxy approvals revoke" takes one back.`,
		Example: `  mcpproxy explain 01JD3ZK4V2M5Q8XW7R6T0B9YHE
  mcpproxy explain 01JD3ZK4V2M5Q8XW7R6T0B9YHE --apply`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := fetchRecord(cmd.Context(), g, args[0], true)
			if err != nil {
				return err
			}
			e := explain.Of(r)
			if applies && (yes || g.output != "table") {
				return apply(cmd, g, e, yes)
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), e, nil)
			}
			printExplanation(cmd.OutOrStdout(), e, g.config)
			if applies {
				return apply(cmd, g, e, yes)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&applies, "apply", false, "approve for always what was asked about the call")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --apply: do not ask")
	return cmd
}

// sideShown returns the side of a server in a flow, for a table.
func sideShown(c mcpproxy.Class) string {
	if c.Unknown {
		return fmt.Sprintf("unknown (%s)", c.Side)
	}
	return string(c.Side)
}

// standing describes a tool's classification and its source.
func standing(c *mcpproxy.Class) string {
	if c.Unknown {
		return fmt.Sprintf("unknown, so it counts as %s (security.classification.default_unknown)", c.Side)
	}
	return fmt.Sprintf("%s (by %s, confidence %.2f)", c.Side, c.Method, c.Confidence)
}

// printExplanation explains a record to a person.
func printExplanation(w io.Writer, e explain.Explanation, file string) {
	p, r := term.Colors(w), e.Record
	printHeading(w, r)
	if r.Metadata.Reason != "" {
		fmt.Fprintf(w, "\n%s\n", term.Plain(r.Metadata.Reason))
	}
	if r.Rule != "" {
		fmt.Fprintf(w, "Rule: %s\n", r.Rule)
	}
	printAsked(w, r)
	also := "would also be stopped"
	if r.Decision == mcpproxy.Allow || r.Decision == mcpproxy.Warn || r.Decision == mcpproxy.Redact {
		also = "was also noticed"
	}
	for _, rule := range e.Also {
		fmt.Fprintf(w, "      It %s by %s\n", also, rule)
	}
	if c := r.Metadata.Classification; c != nil {
		fmt.Fprintf(w, "Destination: %s; kind of operation: %s.\n", standing(c), r.Metadata.Operation)
	}
	for _, line := range e.InWords {
		fmt.Fprintln(w, term.Plain(line))
	}
	for _, edge := range r.Metadata.Edges {
		printEdge(w, edge)
	}
	for _, c := range r.Metadata.Contradictions {
		fmt.Fprintf(w, "Contradiction: %s says %s, %s says %s (severity %d, %s)\n", term.Plain(c.Signal1), term.Plain(c.Claim1),
			term.Plain(c.Signal2), term.Plain(c.Claim2), c.Severity, c.Action)
		fmt.Fprintf(w, "      %s\n", term.Plain(c.Explanation))
		if c.Quarantine {
			fmt.Fprintf(w, "      The claim of the server is false.\n")
		}
	}
	for _, s := range r.Metadata.Signals {
		if s.Kind == mcpproxy.KindContradiction {
			continue // printed above
		}
		at := ""
		if s.Path != "" {
			at = ", at " + term.Plain(s.Path)
		}
		fmt.Fprintf(
			w,
			"Signal: %s %s, confidence %.2f%s %s\n",
			s.Severity,
			s.Kind,
			s.Confidence,
			at,
			p.Dim(term.Plain(s.Evidence)+suppressed(s)),
		)
	}
	printScore(w, e)
	if e.Apply != "" && r.Metadata.Remembered == "" {
		fmt.Fprintf(w, "\nTo approve it for always (%s), run: %s\n", term.Plain(e.Within), e.Apply)
	}
	fmt.Fprintf(w, "\n%s\n", e.Meaning)
	if e.Command != "" {
		fmt.Fprintf(w, "Run: %s\n", e.Command)
	}
	if e.Allow != "" {
		fmt.Fprintf(w, "Put this into %s:\n\n%s\n", file, e.Allow)
	}
}

// printAsked prints who was asked about a call, or which earlier answer decided it, and what that
// answer covers.
func printAsked(w io.Writer, r *mcpproxy.Record) {
	switch id := r.Metadata.Approval; {
	case r.Metadata.Remembered == mcpproxy.RememberedAlways:
		fmt.Fprintf(w, "Asked: nobody; a person had approved it for always, by rule %s (mcpproxy approvals rules)\n", id)
	case r.Metadata.Remembered != "":
		fmt.Fprintf(w, "Asked: a person, earlier in the session, by request %s (mcpproxy activity show %[1]s)\n", id)
	case id != "":
		fmt.Fprintf(w, "Asked: a person, by request %s (mcpproxy activity show %[1]s)\n", id)
	}
	if shown := r.Metadata.Boundary.Shown(); shown != "" {
		fmt.Fprintf(w, "Asked about: %s\n", term.Plain(shown))
	}
}

// printHeading prints a record's name and outcome. For a record that is not about a call it prints
// the kind, and no risk if none was computed.
func printHeading(w io.Writer, r *mcpproxy.Record) {
	p := term.Colors(w)
	heading := p.Bold(term.Plain(cmp.Or(toolName(r), string(r.Type))))
	if r.Decision != "" {
		heading += " " + p.Decision(string(r.Decision))
	}
	heading += "  " + r.Timestamp.Local().Format("2006-01-02 15:04:05")
	if r.RiskLevel != "" {
		heading += "  risk " + riskCell(r)
	}
	fmt.Fprintln(w, heading)
}

// suppressed says that a signal was suppressed.
func suppressed(s mcpproxy.Signal) string {
	if !s.Suppressed {
		return ""
	}
	return " (suppressed)"
}

// printEdge prints where data came from, how it was recognized and who chose its destination.
func printEdge(w io.Writer, e mcpproxy.Edge) {
	if e.Match == flow.MatchLost {
		fmt.Fprintf(
			w,
			"Flow: %s is assumed, because the record of what the session had read was lost (see activity %s)\n",
			e.Type,
			e.From.CallID,
		)
		return
	}
	fmt.Fprintf(w, "Flow: %s from %s, activity %s, found at %s (%s)\n", e.Type, term.Plain(e.From.Name()), e.From.CallID,
		term.Plain(e.Path), term.Plain(recognised(e)))
	if e.Evidence != "" {
		fmt.Fprintf(w, "      It reads: %s\n", term.Colors(w).Dim(term.Plain(e.Evidence)))
	}
	if e.Destination != "" {
		fmt.Fprintf(w, "      Where it goes was chosen by: %s\n", chosenBy[e.Destination])
	}
}

// chosenBy describes the sources of a destination.
var chosenBy = map[mcpproxy.DestinationSource]string{
	mcpproxy.FromUser:      "the user's own words",
	mcpproxy.FromInternal:  "a trusted result",
	mcpproxy.FromNowhere:   "a source that was not seen",
	mcpproxy.FromUntrusted: "a result that strangers may have written",
	mcpproxy.FromInjected:  "an instruction hidden in a result",
}
