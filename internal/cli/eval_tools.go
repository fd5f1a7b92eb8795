package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/eval"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
)

func evalTools(g *globals) *cobra.Command {
	var tier string
	cmd := evalVerb(
		g,
		"tools",
		"Measure the scanning of tool definitions",
		`Reads JSON Lines of {"server", "name", "description", "inputSchema", "annotations", "peers", "label": "malicious" or "benign",
"category", "tier": "hard" or "soft"} and prints how many of the malicious definitions are found, and how many of the others
cause a false alarm, in all and by category.

A malicious definition is found by a finding that quarantines it, or, if its tier is soft, by any finding. A benign one is a
false alarm when a finding quarantines it; those that a person would have to review are counted separately.`,
		func(o eval.Options) (*eval.Report, error) {
			if !slices.Contains([]string{"", string(scan.TierHard), string(scan.TierSoft)}, tier) {
				return nil, fmt.Errorf("invalid --tier %q: must be hard or soft", tier)
			}
			return eval.Tools(o, definition.Scanner{Secrets: detect.New(detect.Rules()).Secrets}, scan.Tier(tier))
		},
	)
	cmd.Flags().
		StringVar(&tier, "tier", "", "only malicious definitions of this tier (hard or soft), beside all benign ones")
	return cmd
}

func evalChanges(g *globals) *cobra.Command {
	return evalVerb(
		g,
		"changes",
		"Measure the reporting of changed tool definitions",
		`Reads JSON Lines of {"before": TOOL, "after": TOOL, "label": "malicious" or "benign", "category"} and prints how many of the
changes are reported, and how many of the pairs that differ in order and spaces only are reported as well. A change by an
honest server has to be reported too: people decide whether it is one. --kind malicious or benign narrows by the label.`,
		func(o eval.Options) (*eval.Report, error) { return eval.Changes(o, changedParts) },
	)
}

func evalContradiction(g *globals) *cobra.Command {
	return evalVerb(
		g,
		"contradiction",
		"Measure the detection of claims that contradict each other",
		`Reads JSON Lines of {"server", "tool": DEFINITION, "operation": "read", "write" or "destructive" (the agent's word),
"sensitivity", "args", "label": "contradiction" or "consistent", "category"} and prints how many of the contradictions are found,
and how many of the other calls cause a false alarm, in all and by category. Without --input it measures calls that the program
brings along: --by file counts their two halves separately, one of which was held out.

A contradiction counts as found when one is reported that is severe enough to ask a person.`,
		func(o eval.Options) (*eval.Report, error) {
			setup, err := defaultGate()
			if err != nil {
				return nil, err
			}
			return eval.Contradictions(o, setup)
		},
	)
}

func evalClassification(g *globals) *cobra.Command {
	return evalVerb(
		g,
		"classification",
		"Measure the classes of servers and tools",
		`Reads JSON Lines of {"subject": "server", "tool" or "agent_tool", "name", "tool": DEFINITION, "input", "expect": [every right
answer], "category"} and prints how many names get a right answer, and how many names that suggest no answer get one. Without
--input it measures names that the program brings along: --by file counts their two halves separately, one of which was held out.

A server is internal, external, hybrid or unknown, and so is a tool of the agent's own with its input; a tool of a server
is read, write, destructive or unknown.`,
		func(o eval.Options) (*eval.Report, error) {
			setup, err := defaultGate()
			if err != nil {
				return nil, err
			}
			return eval.Classification(o, setup)
		},
	)
}

// printSecurity prints the lines below the table of definitions.
func printSecurity(w io.Writer, r *eval.Report) {
	if len(r.ByTier) > 0 {
		fmt.Fprintln(w)
	}
	for _, tier := range slices.Sorted(maps.Keys(r.ByTier)) {
		m := r.ByTier[tier]
		fmt.Fprintf(w, "Malicious, tier %s: %d of %d found (%s)\n", tier, m.Found, m.Positives, share(m.Recall))
	}
	if m := r.Metrics; m.AnyFindings != nil && m.Negatives > 0 {
		fmt.Fprintf(w, "Benign with a hard finding: %d of %d (%s); with any finding: %d (%s)\n",
			m.FalseAlarms, m.Negatives, share(m.FalsePositiveRate), *m.AnyFindings, share(m.AnyFindingRate))
	}
	s := r.Security
	if s == nil {
		return
	}
	if s.RugPullDetectionRate != nil {
		fmt.Fprintf(w, "\nRug pulls reported: %s\n", share(s.RugPullDetectionRate))
	}
	if s.ContradictionRecall != nil || s.ContradictionPrecision != nil {
		fmt.Fprintf(
			w,
			"\nContradictions: %s found, precision %s\n",
			share(s.ContradictionRecall),
			share(s.ContradictionPrecision),
		)
	}
	if s.ClassificationAccuracy != nil {
		fmt.Fprintf(w, "\nClassified rightly: %s\n", share(s.ClassificationAccuracy))
	}
	switch {
	case s.ProductionReady == nil:
	case *s.ProductionReady:
		fmt.Fprintln(w, "Ready for production by RFC-004: yes")
	default:
		fmt.Fprintf(w, "Ready for production by RFC-004: no; %s\n", strings.Join(s.NotReady, "; "))
	}
}
