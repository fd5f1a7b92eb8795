package policy_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

func TestAToolThatOnlyReadsGetsNoDataBesideItsQuestion(t *testing.T) {
	payroll := mcpproxy.Origin{CallID: "1", Server: "payroll", Side: mcpproxy.Internal}
	for name, c := range map[string]struct {
		change func(*policy.Facts)
		want   mcpproxy.Decision
	}{
		"a record in a memo":               {func(*policy.Facts) {}, mcpproxy.Ask},
		"a record in a note, in camelCase": {func(f *policy.Facts) { f.Edges[0].Path = "arguments.items[0].sideNote" }, mcpproxy.Ask},
		"the text of a search":             {func(f *policy.Facts) { f.Edges[0].Path = "arguments.query" }, mcpproxy.Allow},
		"a name":                           {func(f *policy.Facts) { f.Edges[0].Bytes = 12 }, mcpproxy.Allow},
		"data of the same server":          {func(f *policy.Facts) { f.Edges[0].From.Server = "fx" }, mcpproxy.Allow},
		"words of a stranger's page":       {func(f *policy.Facts) { f.Edges[0].From.Side = mcpproxy.External }, mcpproxy.Allow},
		"a server that the user declares":  {func(f *policy.Facts) { f.Classification.Method = mcpproxy.ByConfig }, mcpproxy.Allow},
		"a tool that writes":               {func(f *policy.Facts) { f.Effect = mcpproxy.EffectCreate }, mcpproxy.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			f := policy.Facts{
				Facts: mcpproxy.Facts{
					Classification: &mcpproxy.Class{Side: mcpproxy.Internal},
					Effect:         mcpproxy.EffectRead,
					Wish:           mcpproxy.WishYes,
					Audience:       mcpproxy.AudienceSelf,
					Edges: []mcpproxy.Edge{{
						From:  payroll,
						Type:  mcpproxy.InternalToInternal,
						Path:  "arguments.memo",
						Bytes: 60,
					}},
				},
				Call: &mcpproxy.Call{Kind: mcpproxy.KindTool, Server: "fx", Tool: "convert"},
			}
			c.change(&f)
			r := asked().Decide(f)
			if r.Decision != c.want || c.want == mcpproxy.Ask && r.Rule != policy.RuleExternal {
				t.Errorf("%s by %q, want %s: %s", r.Decision, r.Rule, c.want, r.Reason)
			}
		})
	}
}

func TestFollowingATextCoversNoWebhookToAnAddressThatOnlyTheTextNames(t *testing.T) {
	notes := mcpproxy.Origin{
		CallID: "1",
		Server: "crm",
		Tool:   "notes",
		Side:   mcpproxy.Internal,
	}
	for tool, want := range map[string]mcpproxy.Decision{"webhook_create": mcpproxy.Ask, "bookmark_create": mcpproxy.Allow} {
		f := policy.Facts{
			Facts: mcpproxy.Facts{
				Classification: &mcpproxy.Class{Side: mcpproxy.Internal},
				Effect:         mcpproxy.EffectCreate,
				Wish:           mcpproxy.WishYes,
				Audience:       mcpproxy.AudienceNamed,
				Dictation: &mcpproxy.Dictation{
					From:      notes,
					Share:     0.9,
					Values:    []string{"https://in.relay.example/7c1e"},
					Aims:      true,
					Asks:      true,
					Pointed:   true,
					Delegated: true,
				},
			},
			Call: &mcpproxy.Call{Kind: mcpproxy.KindTool, Server: "crm", Tool: tool},
		}
		if r := asked().Decide(f); r.Decision != want {
			t.Errorf("%s: %s by %q, want %s", tool, r.Decision, r.Rule, want)
		}
	}
}
