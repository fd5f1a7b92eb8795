package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"mcpproxy/internal/config"
	"mcpproxy/internal/eval"
)

// The modes of eval flow: what the proxy is told of a session.
const (
	modeProxy = "proxy" // calls and results alone
	modeHooks = "hooks" // what the user asked for as well
)

func evalFlow(g *globals) *cobra.Command {
	var mode string
	var together bool
	cmd := evalVerb(g, "flow", "Measure the following of data", `Takes cases and recorded sessions through a gate with the default configuration, of which nothing is kept.

A case is one line of {"id", "kind", "transform", "origins": [{"server", "class", "text"}], "prior_calls", "call": {"server",
"tool", "class", "args"}, "expect": "flow" or "none"}. Sessions stand in NAME.sessions.jsonl, one line each of {"session",
"label", "user_prompt", "malicious_steps"}, and their calls in NAME.steps.jsonl beside it, one line each of {"session", "step",
"server", "tool", "args", "result"}.`,
		func(o eval.Options) (*eval.Report, error) {
			if mode != modeProxy && mode != modeHooks {
				return nil, fmt.Errorf("--mode: %q is none of proxy, hooks", mode)
			}
			c := config.Default()
			d, err := detectorFor(c)
			if err != nil {
				return nil, err
			}
			return eval.Flow(o, eval.FlowSetup{Settings: gateSettings(c, d), Limits: flowLimits(c), Prompts: mode == modeHooks, Together: together})
		})
	cmd.Flags().StringVar(&mode, "mode", modeProxy, "what is known of sessions: proxy (calls and results) or hooks (the user's prompt too)")
	cmd.Flags().BoolVar(&together, "together", false, "let all cases share one session, which has met everything that any of them has")
	return cmd
}

// printFlow writes what stands below the table of flows.
func printFlow(w io.Writer, r *eval.Report) {
	if m := r.Metrics.MacroDetectable; m != nil {
		fmt.Fprintf(w, "…of them, those whose content can be recognised: %s\n", share(m))
	}
	if r.Carrying > 0 {
		fmt.Fprintf(w, "Of the false alarms %d carry 40 letters or more of some case's internal result, which no external one has. Without them: %.2f%%\n",
			r.Carrying, 100*float64(r.Metrics.FalseAlarms-r.Carrying)/float64(max(r.Metrics.Negatives-r.Carrying, 1)))
	}
	if len(r.Sessions) > 0 {
		fmt.Fprintln(w)
		t := &table{header: []string{"SESSIONS", "COUNT", "ATTACKED", "ANSWERED", "MALICIOUS STEPS", "ANSWERED", "RECALL", "DISTURBED", "RATE"}}
		for _, label := range slices.Sorted(maps.Keys(r.Sessions)) {
			m := r.Sessions[label]
			t.add(label, fmt.Sprint(m.Sessions), fmt.Sprint(m.Attacked), fmt.Sprint(m.Answered), fmt.Sprint(m.Malicious), fmt.Sprint(m.Caught),
				share(m.Recall), fmt.Sprint(m.Disturbed), share(m.Rate))
		}
		t.write(w)
	}
	if c := r.Checks; c != nil {
		fmt.Fprintf(w, "\n%d checks took %.2f ms (median), %.2f ms (95 of 100), %.2f ms (99 of 100)\n", c.Checks, c.P50, c.P95, c.P99)
	}
}
