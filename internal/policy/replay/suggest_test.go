package replay_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/replay"
)

// asks returns n asks about a tool, each followed by what became of it: the answer to a request, or the call.
func asks(tool, rule string, n int, became string, change func(*mcpproxy.Record)) []*mcpproxy.Record {
	var out []*mcpproxy.Record
	for i := range n {
		id := fmt.Sprintf("%s-%s-%d", tool, became, i)
		ask := &mcpproxy.Record{
			ID:       id,
			Type:     mcpproxy.RecordHookEvaluation,
			ToolName: tool,
			Decision: mcpproxy.Ask,
			Metadata: mcpproxy.Metadata{
				Facts: mcpproxy.Facts{Classification: &mcpproxy.Class{}},
				Ruled: &mcpproxy.Ruled{Decision: mcpproxy.Ask, Rule: rule},
			},
		}
		if change != nil {
			change(ask)
		}
		out = append(out, ask)
		switch became {
		case "done":
			out = append(out, &mcpproxy.Record{
				ID:       id + "-after",
				Type:     mcpproxy.RecordHookEvaluation,
				ToolName: tool,
				ParentID: id,
			})
		case "approved", "denied":
			d := mcpproxy.Deny
			if became == "approved" {
				d = mcpproxy.Allow
			}
			out = append(out, &mcpproxy.Record{
				ID:       id + "-request",
				Type:     mcpproxy.RecordApproval,
				ParentID: id,
				Decision: mcpproxy.Ask,
			},
				&mcpproxy.Record{
					ID:       id + "-answer",
					Type:     mcpproxy.RecordApproval,
					ParentID: id + "-request",
					Decision: d,
				})
		}
	}
	return out
}

func scanOf(records []*mcpproxy.Record) replay.Scan {
	return func(f func(*mcpproxy.Record) error) error {
		for _, r := range records {
			if err := f(r); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestSuggestions(t *testing.T) {
	secret := func(r *mcpproxy.Record) { r.Metadata.Edges = []mcpproxy.Edge{{Sensitive: []string{"api_token"}}} }
	two := func(r *mcpproxy.Record) { r.Metadata.Ruled.Also = []string{policy.RuleTaint} }
	denied := func(r *mcpproxy.Record) { r.Decision, r.Metadata.Ruled.Decision = mcpproxy.Deny, mcpproxy.Deny }
	to := func(channel string) func(r *mcpproxy.Record) {
		return func(r *mcpproxy.Record) {
			r.Metadata.Boundary = &mcpproxy.Boundary{
				Tool:         r.ToolName,
				Effect:       mcpproxy.EffectSend,
				Destinations: []string{channel},
				Rules:        []string{r.Metadata.Ruled.Rule},
			}
		}
	}
	remembered := func(r *mcpproxy.Record) {
		to("a")(r)
		r.Metadata.Remembered = mcpproxy.RememberedSession
	}
	for name, c := range map[string]struct {
		records []*mcpproxy.Record
		want    string // how the suggestion begins; "" for none
	}{
		"what the agent went on with":         {asks("WebSearch", policy.RuleExternal, 47, "done", nil), "WebSearch: 47 asks by security.flow_policy.internal_to_external, all approved"},
		"what somebody approved":              {asks("WebSearch", policy.RuleExternal, 5, "approved", nil), "WebSearch: 5 asks"},
		"one too few":                         {asks("WebSearch", policy.RuleExternal, 4, "approved", nil), ""},
		"one denial":                          {append(asks("WebSearch", policy.RuleExternal, 9, "approved", nil), asks("WebSearch", policy.RuleExternal, 1, "denied", nil)...), ""},
		"one without an answer":               {append(asks("WebSearch", policy.RuleExternal, 9, "approved", nil), asks("WebSearch", policy.RuleExternal, 1, "nothing", nil)...), ""},
		"sensitive data":                      {asks("WebSearch", policy.RuleExternal, 9, "approved", secret), ""},
		"a rule about secrets":                {asks("WebSearch", policy.RuleTaint, 9, "approved", nil), ""},
		"a rule about instructions":           {asks("WebSearch", policy.RuleInjected, 9, "approved", nil), ""},
		"a destination from strangers":        {asks("WebSearch", policy.RuleUntrusted, 9, "approved", nil), ""},
		"claims that contradict":              {asks("WebSearch", policy.RuleContradiction, 9, "approved", nil), ""},
		"a tool in quarantine":                {asks("Rm", policy.RuleQuarantine, 6, "nothing", denied), ""},
		"a tool outside a token's scope":      {asks("Rm", policy.RuleScope, 6, "nothing", denied), ""},
		"a tool while the kill switch was on": {asks("Rm", policy.RuleKill, 6, "nothing", denied), ""},
		"a tool denied, and once killed":      {append(asks("Rm", "x", 6, "nothing", denied), asks("Rm", policy.RuleKill, 1, "nothing", denied)...), ""},
		"another rule behind it":              {asks("WebSearch", policy.RuleExternal, 9, "approved", two), ""},
		"a tool that is always denied":        {asks("Rm", policy.RuleOperation+"destructive", 6, "nothing", denied), ""},
		"one boundary":                        {asks("Post", policy.RuleExternal, 5, "approved", to("a")), "Post: 5 asks by security.flow_policy.internal_to_external, all approved. It could be allowed permanently: calls of Post pass that do the same (send), to a alone"},
		"a refusal within another":            {append(asks("Post", policy.RuleExternal, 5, "approved", to("a")), asks("Post", policy.RuleExternal, 1, "denied", to("b"))...), "Post: 5 asks"},
		"a refusal within it":                 {append(asks("Post", policy.RuleExternal, 5, "approved", to("a")), asks("Post", policy.RuleExternal, 1, "denied", to("a"))...), ""},
		"two boundaries of four and four":     {append(asks("Post", policy.RuleExternal, 4, "approved", to("a")), asks("Post", policy.RuleExternal, 4, "done", to("b"))...), ""},
		"what earlier answers decided":        {append(asks("Post", policy.RuleExternal, 4, "approved", to("a")), asks("Post", policy.RuleExternal, 9, "done", remembered)...), ""},
		"a shell as a whole":                  {asks("Bash", policy.RuleExternal, 9, "approved", nil), ""},
		"a tool that is sometimes allowed":    {append(asks("Rm", "x", 6, "nothing", denied), asks("Rm", "x", 1, "done", nil)...), ""},
	} {
		t.Run(name, func(t *testing.T) {
			backwards := slices.Clone(c.records)
			slices.Reverse(backwards)
			for _, records := range [][]*mcpproxy.Record{c.records, backwards} {
				got, err := replay.Suggest(context.Background(), scanOf(records))
				if err != nil || len(got) > 1 || (len(got) == 1) != (c.want != "") ||
					len(got) == 1 && !strings.HasPrefix(got[0].Text, c.want) {
					t.Errorf("%+v, %v", got, err)
				}
			}
		})
	}
}

// A refusal counts even if it is followed by more of the log than fits in memory.
func TestARefusalBehindALongLogCounts(t *testing.T) {
	for name, c := range map[string]struct {
		n      int
		filler func(i int) *mcpproxy.Record
	}{
		"many tools": {10_001, func(i int) *mcpproxy.Record {
			return asks(fmt.Sprint("file:///", i), policy.RuleExternal, 1, "nothing", nil)[0]
		}},
		"many asks": {100_001, func(i int) *mcpproxy.Record {
			r := asks("Other", policy.RuleExternal, 1, "nothing", nil)[0]
			r.ID = fmt.Sprint("other-", i)
			return r
		}},
	} {
		t.Run(name, func(t *testing.T) {
			records := asks("WebSearch", policy.RuleExternal, 9, "approved", nil)
			for i := range c.n {
				records = append(records, c.filler(i))
			}
			records = append(records, asks("WebSearch", policy.RuleExternal, 1, "denied", nil)...)
			got, err := replay.Suggest(context.Background(), scanOf(records))
			if err != nil ||
				slices.ContainsFunc(got, func(s replay.Suggestion) bool { return s.Kind == replay.KindApproved }) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestASuggestionIsConfiguration(t *testing.T) {
	got, err := replay.Suggest(
		context.Background(),
		scanOf(asks("WebSearch", policy.RuleExternal, 5, "done", nil)),
		"mine",
	)
	if err != nil || len(got) != 2 ||
		!strings.Contains(string(got[0].Config), `"rule": "security.flow_policy.internal_to_external"`) {
		t.Fatalf("%+v, %v", got, err)
	}
	if got[1].Kind != replay.KindUnusedRule || got[1].Rule != policy.RuleUser+"mine" {
		t.Errorf("%+v", got[1])
	}
}

func TestOldRecordsAreCountedAsUndecided(t *testing.T) {
	old := &mcpproxy.Record{ID: "1", Type: mcpproxy.RecordToolCall, Decision: mcpproxy.Allow}
	sum, err := replay.Simulate(
		context.Background(),
		scanOf([]*mcpproxy.Record{old, {Type: mcpproxy.RecordSystemStart}}),
		replay.Policy{Kill: true},
		func(replay.Change) error { return nil },
	)
	if err != nil || sum.Calls != 0 || sum.Undecided != 1 || len(sum.Notes) != 2 {
		t.Errorf("%+v, %v", sum, err)
	}
}
