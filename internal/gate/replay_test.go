package gate_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/replay"
	"mcpproxy/internal/policy/rules"
)

// scan returns a reader of the log's records.
func scan(log *ledgertest.Memory) func(func(*mcpproxy.Record) error) error {
	return func(f func(*mcpproxy.Record) error) error {
		for _, r := range log.Records() {
			if err := f(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// configurations are policies with which logs are made.
func configurations(t *testing.T) map[string]gate.Settings {
	redacting := defaults()
	blocking := defaults()
	ruled := defaults()
	suppressing := defaults()
	loose := defaults()
	redacting.Tables.SensitiveDataExternal = mcpproxy.Redact
	blocking.Tables.Risk.Block = true
	blocking.Tables.Risk.Flag, blocking.Tables.Risk.Approve = 20, 40
	set, problems := rules.Compile([]rules.Rule{
		{Name: "slack", When: `call.server == "slack" && session.private_data`, Then: mcpproxy.Redact},
		{Name: "mail", When: `destinations.exists(d, d.source == "untrusted") || risk.score > 60`, Then: mcpproxy.Deny},
		{Name: "secrets", When: `edges.exists(e, e.sensitive.size() > 0)`, Then: mcpproxy.Ask},
		{Name: "broken", When: `call.sends && call.args.nowhere == "x"`, Then: mcpproxy.Allow}}, rules.Known{})
	if problems != nil {
		t.Fatal(problems)
	}
	ruled.Tables.Rules = set
	suppressing.Tables.Suppressions = []policy.Suppression{
		{Rule: "api_token", Server: "slack"},
		{Rule: policy.RuleContradiction, Server: "notes"},
		{Rule: policy.RuleExternal, Tool: "WebFetch"},
		{Rule: policy.RuleApprove, Server: "slack"},
	}
	loose.Tables = policy.Tables{}
	return map[string]gate.Settings{
		"the defaults":   defaults(),
		"redaction":      redacting,
		"low thresholds": blocking,
		"rules":          ruled,
		"suppressions":   suppressing,
		"nothing":        loose,
	}
}

// log plays a scenario to its end, whatever the verdicts are, and returns the log.
func log(t *testing.T, s gate.Settings, steps []step) *ledgertest.Memory {
	t.Helper()
	r := gatetest.New(t, gatetest.WithSettings(s))
	g, tracker := r.Gate, r.Tracker
	for _, st := range steps {
		if st.what == "prompt" {
			tracker.Prompt("flow-1", st.body)
			continue
		}
		c := call(st.server, st.tool, st.body)
		c.Intent, c.Definition = st.intent, st.definition
		if st.what == "hook" {
			c.Channel = mcpproxy.ChannelHook
			p := g.Announced(context.Background(), c, gate.Hook{})
			if !p.Stopped() {
				after := *c
				after.ID = ""
				g.Reported(
					context.Background(),
					p,
					&after,
					&mcpproxy.Result{Raw: []byte(content(st.result))},
					gate.Hook{},
				)
			}
			continue
		}
		if p := g.Decides(context.Background(), c); !p.Stopped() {
			g.Deliver(context.Background(), p, &mcpproxy.Result{Raw: []byte(content(st.result))})
		}
	}
	return r.Log
}

// Replaying a log against the configuration that made it changes no decision.
func TestAReplayUnderTheSameConfigurationChangesNothing(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "scenarios", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for name, s := range configurations(t) {
		t.Run(name, func(t *testing.T) {
			var met []mcpproxy.Decision
			calls := 0
			for _, file := range files {
				k := log(t, s, parse(t, file))
				again := replay.Policy{Tables: s.Tables}
				sum, err := replay.Simulate(context.Background(), scan(k), again, func(c replay.Change) error {
					t.Errorf("%s: %+v", filepath.Base(file), c)
					return nil
				})
				if err != nil || sum.Changed != 0 || sum.Undecided > 1 {
					t.Errorf("%s: %+v, %v", filepath.Base(file), sum, err)
				}
				calls += sum.Calls
				for _, r := range k.Records() {
					if r.Metadata.Ruled == nil {
						continue
					}
					met = append(met, r.Metadata.Ruled.Decision)
					if f, ok := replay.Facts(r); ok {
						if got := again.Ask(f); got.Rule != r.Metadata.Ruled.Rule {
							t.Errorf(
								"%s: %s was ruled by %q, and the replay rules by %q",
								filepath.Base(file),
								r.ToolName,
								r.Metadata.Ruled.Rule,
								got.Rule,
							)
						}
					}
				}
			}
			if calls < 90 || name != "nothing" && !slices.Contains(met, mcpproxy.Deny) {
				t.Errorf("%d calls, and the decisions %v", calls, slices.Compact(slices.Sorted(slices.Values(met))))
			}
		})
	}
}

// Calls that were stopped by the scope of a token, by quarantine or because they could not be read stay stopped.
// Calls that were decided by signals that the log does not contain are left out.
func TestAReplayLeavesOutCallsThatThePolicyCannotDecideAgain(t *testing.T) {
	scoped := defaults()
	held := defaults()
	quiet := defaults()
	scoped.Scope = func(*mcpproxy.Call, mcpproxy.Operation) string { return "The token is not for this." }
	held.Held = func(c *mcpproxy.Call) string { return "The tool waits for approval." }
	quiet.Quiet = true
	for name, c := range map[string]struct {
		settings gate.Settings
		rule     string
	}{
		"a token's scope":         {scoped, policy.RuleScope},
		"quarantine":              {held, policy.RuleQuarantine},
		"signals outside the log": {quiet, policy.RuleOpaque},
	} {
		t.Run(name, func(t *testing.T) {
			k := log(t, c.settings, parse(t, filepath.Join("testdata", "scenarios", "opaque_payload.txtar")))
			sum, err := replay.Simulate(
				context.Background(),
				scan(k),
				replay.Policy{Tables: c.settings.Tables},
				func(c replay.Change) error {
					t.Errorf("%+v", c)
					return nil
				},
			)
			ruled := func(r *mcpproxy.Record) bool { return r.Metadata.Ruled != nil && r.Metadata.Ruled.Rule == c.rule }
			if err != nil || sum.Undecided == 0 || !slices.ContainsFunc(k.Records(), ruled) {
				t.Errorf("%+v, %v", sum, err)
			}
		})
	}
}

func TestAReplayUnderAnotherConfigurationChangesDecisions(t *testing.T) {
	k := log(t, defaults(), parse(t, filepath.Join("testdata", "scenarios", "slack_secret.txtar")))
	var changes []replay.Change
	sum, err := replay.Simulate(context.Background(), scan(k), replay.Policy{}, func(c replay.Change) error {
		changes = append(changes, c)
		return nil
	})
	if err != nil || sum.Changed == 0 || sum.Changed != len(changes) {
		t.Fatalf("%+v %v", sum, err)
	}
	c := changes[len(changes)-1]
	if c.Was != mcpproxy.Deny || c.WasRule != policy.RuleSensitive || c.Would != mcpproxy.Allow || c.ID == "" ||
		c.Server != "slack" {
		t.Errorf("%+v", c)
	}
	sum, _ = replay.Simulate(context.Background(), scan(k), replay.Policy{Kill: true}, func(c replay.Change) error {
		if c.Would != mcpproxy.Deny || c.Rule != policy.RuleKill || !strings.Contains(c.Reason, "kill switch") {
			t.Errorf("%+v", c)
		}
		return nil
	})
	if sum.Changed == 0 {
		t.Errorf("the kill switch changes nothing: %+v", sum)
	}
}
