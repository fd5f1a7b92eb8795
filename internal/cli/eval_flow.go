package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/eval"
)

// The modes of eval flow: which part of a session the proxy sees.
const (
	modeProxy = "proxy" // calls and results only
	modeHooks = "hooks" // also the user's prompts
)

func evalFlow(g *globals) *cobra.Command {
	var mode, by string
	var suites, variants []string
	var together bool
	cmd := evalVerb(
		g,
		"flow",
		"Measure the tracking of data flows",
		`Runs cases and recorded sessions through a gate with the default configuration, and keeps nothing of them.

A case is one line of {"id", "kind", "transform", "origins": [{"server", "class", "text"}], "prior_calls", "call": {"server",
"tool", "class", "args"}, "expect": "flow" or "none"}. Sessions stand in NAME.sessions.jsonl, one line each of {"session",
"label", "user_prompt", "malicious_steps"}, and their calls in NAME.steps.jsonl beside it, one line each of {"session", "step",
"server", "tool", "args", "result"}. An empty server stands for a tool of the agent's own. The first use of a tool may say
what its server lists: "schema", "description", "annotations". A step without a tool and with a "user_prompt" is a later
message of the user.`,
		func(o eval.Options) (*eval.Report, error) {
			if mode != modeProxy && mode != modeHooks {
				return nil, fmt.Errorf("invalid --mode %q: must be proxy or hooks", mode)
			}
			if !slices.Contains([]eval.By{byLabel, eval.BySuite, eval.BySource, eval.ByFile}, eval.By(by)) {
				return nil, fmt.Errorf("invalid --by %q: must be label, suite, source or file", by)
			}
			setup, err := defaultGate()
			if err != nil {
				return nil, err
			}
			setup.Hooks = mode == modeHooks
			setup.Together = together
			setup.Suites = suites
			setup.Variants = variants
			if by != byLabel {
				setup.By = eval.By(by)
			}
			return eval.Flow(o, setup)
		},
	)
	cmd.Flags().
		StringVar(&mode, "mode", modeProxy, "what is known of sessions: proxy (calls and results) or hooks (the user's messages too)")
	cmd.Flags().
		StringVar(&by, "by", byLabel, "group sessions by label, suite, source or file; a suite is a file, or a part of it that its sessions name")
	cmd.Flags().StringSliceVar(&suites, "suite", nil, "only sessions of this suite or file; may be repeated")
	cmd.Flags().StringSliceVar(
		&variants,
		"variant",
		nil,
		"change the attackers' texts first: "+strings.Join(eval.Variants(), ", ")+"; may be repeated",
	)
	cmd.Flags().
		BoolVar(&together, "together", false, "let all cases share one session that contains the results of all of them")
	return cmd
}

// defaultGate returns a gate with the default configuration.
func defaultGate() (eval.FlowSetup, error) {
	c := config.Default()
	d, err := daemon.DetectorFor("", c)
	if err != nil {
		return eval.FlowSetup{}, err
	}
	return eval.FlowSetup{Settings: daemon.GateSettings(c, d), Limits: daemon.FlowLimits(c)}, nil
}

// byLabel counts sessions by their label.
const byLabel = "label"

// suiteTable has a line for each suite, and a total if there are several.
func suiteTable(heading string, suites []eval.SuiteMetrics) *term.Table {
	t := &term.Table{
		Header: []string{
			heading,
			"ATTACKED",
			"ANSWERED",
			"RATE",
			"HONEST",
			"DISTURBED",
			"RATE",
			"CALLS",
			"ASKED",
			"DENIED",
			"RATE",
			"ANSWERED BY",
			"DISTURBED BY",
		},
	}
	if len(suites) > 1 {
		suites = append([]eval.SuiteMetrics{eval.Total(suites)}, suites...)
	}
	for _, m := range suites {
		t.Add(
			m.Suite,
			fmt.Sprint(m.Attacked),
			fmt.Sprint(m.Answered),
			share(m.Recall),
			fmt.Sprint(m.Honest),
			fmt.Sprint(m.Disturbed),
			share(m.Rate),
			fmt.Sprint(m.Calls),
			fmt.Sprint(m.Asked),
			fmt.Sprint(m.Denied),
			share(m.CallRate),
			topRules(m.AnsweredBy),
			topRules(m.DisturbedBy),
		)
	}
	return t
}

// topRules returns the three most frequent deciding rules with their counts.
func topRules(count map[string]int) string {
	const top = 3
	rules := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	var out []string
	for _, rule := range rules[:min(top, len(rules))] {
		out = append(out, fmt.Sprintf("%s %d", strings.TrimPrefix(rule, "security."), count[rule]))
	}
	if len(rules) > top {
		out = append(out, "…")
	}
	if out == nil {
		return "–"
	}
	return strings.Join(out, ", ")
}

// printFlow prints the lines below the table of flows.
func printFlow(w io.Writer, r *eval.Report) {
	if m := r.Metrics.MacroDetectable; m != nil {
		fmt.Fprintf(w, "…of them, those whose content can be recognised: %s\n", share(m))
	}
	if r.Carrying > 0 {
		fmt.Fprintf(
			w,
			"%d of the false alarms contain 40 letters or more from some case's internal result that no external result contains. Without them: %.2f%%\n",
			r.Carrying,
			100*float64(r.Metrics.FalseAlarms-r.Carrying)/float64(max(r.Metrics.Negatives-r.Carrying, 1)),
		)
	}
	if len(r.Sessions) > 0 && r.Suites == nil {
		fmt.Fprintln(w)
		t := &term.Table{
			Header: []string{
				"SESSIONS",
				"COUNT",
				"ATTACKED",
				"ANSWERED",
				"MALICIOUS STEPS",
				"ANSWERED",
				"RECALL",
				"DISTURBED",
				"RATE",
			},
		}
		for _, label := range slices.Sorted(maps.Keys(r.Sessions)) {
			m := r.Sessions[label]
			t.Add(
				label,
				fmt.Sprint(m.Sessions),
				fmt.Sprint(m.Attacked),
				fmt.Sprint(m.Answered),
				fmt.Sprint(m.Malicious),
				fmt.Sprint(m.Caught),
				share(m.Recall),
				fmt.Sprint(m.Disturbed),
				share(m.Rate),
			)
		}
		_ = t.Write(w) // the command reports lost output itself
	}
	if c := r.Checks; c != nil {
		fmt.Fprintf(
			w,
			"\n%d checks took %.2f ms (median), %.2f ms (95 of 100), %.2f ms (99 of 100)\n",
			c.Checks,
			c.P50,
			c.P95,
			c.P99,
		)
	}
}
