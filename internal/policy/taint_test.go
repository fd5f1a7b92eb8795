package policy_test

import (
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// watchful returns the tables of the default configuration, with the rules for sessions that have read sensitive
// data.
func watchful() policy.Tables {
	t := standard()
	t.InternalToExternal = mcpproxy.Allow // no other rule asks
	t.SessionTaint = mcpproxy.Ask
	t.OpaquePayload = mcpproxy.Ask
	t.Budget = mcpproxy.Ask
	return t
}

func tainted(f *policy.Facts) {
	f.Legs.Sensitive = &mcpproxy.Leg{CallID: "01J", Name: "files:read_file"}
}

func lethal(f *policy.Facts) {
	leg := &mcpproxy.Leg{CallID: "01J", Name: "mail:read"}
	f.Legs = mcpproxy.Legs{Private: leg, Untrusted: leg}
}

func goes(sources ...mcpproxy.DestinationSource) func(*policy.Facts) {
	return func(f *policy.Facts) {
		for _, s := range sources {
			f.Destinations = append(f.Destinations, mcpproxy.Destination{Value: "bob@example.com", Source: s})
		}
	}
}

func observed(kind string) func(*policy.Facts) {
	return func(f *policy.Facts) {
		f.Signals = append(
			f.Signals,
			mcpproxy.Signal{Source: mcpproxy.SourceBehavioral, Kind: kind, Evidence: "80 characters of base64"},
		)
	}
}

// handed makes the call a send from a runbook that the user told the agent to follow.
func handed(f *policy.Facts) {
	f.Effect = mcpproxy.EffectSend
	f.Wish = mcpproxy.WishGeneral
	f.Dictation = &mcpproxy.Dictation{Delegated: true, Pointed: true}
}

func TestAfterASensitiveRead(t *testing.T) {
	user, stranger := mcpproxy.FromUser, mcpproxy.FromUntrusted
	search := operation(mcpproxy.Read)
	inside := class(mcpproxy.Internal, false)
	cases := []struct {
		name  string
		facts policy.Facts
		rule  string // "" when the call passes
	}{
		{"a send before it passes", facts(), ""},
		{"a send asks", facts(tainted), policy.RuleTaint},
		{"a send that a text asks for, to which the user hands the decision, passes", facts(tainted, handed), ""},
		{"a grant that it asks for does not", facts(tainted, handed, func(f *policy.Facts) { f.Effect = mcpproxy.EffectGrant }), policy.RuleTaint},
		{"private data and strangers' words alone do not", facts(lethal), ""},
		{
			"a send of an operation that no name tells asks",
			facts(tainted, operation(mcpproxy.UnknownOperation)),
			policy.RuleTaint,
		},
		{"a search passes", facts(tainted, search), ""},
		{"a search for internal data asks", facts(tainted, search, edge("db", "web")), policy.RuleTaint},
		{"a call to the inside passes", facts(tainted, inside), ""},
		{"an internal tool that can send asks", facts(tainted, class(mcpproxy.Internal, true)), policy.RuleTaint},
		{"a destination that the user named passes", facts(tainted, goes(user)), ""},
		{"internal data to such a destination asks", facts(tainted, goes(user), edge("db", "slack")), policy.RuleTaint},
		{"a second destination that a stranger named asks", facts(tainted, goes(user, stranger)), policy.RuleTaint},

		{"an opaque payload before it passes", facts(search, observed(mcpproxy.KindOpaquePayload)), ""},
		{
			"an opaque payload asks, even in a search",
			facts(tainted, search, observed(mcpproxy.KindOpaquePayload)),
			policy.RuleOpaque,
		},
		{
			"an opaque payload asks where the user said too",
			facts(tainted, goes(user), observed(mcpproxy.KindOpaquePayload)),
			policy.RuleOpaque,
		},
		{"an opaque payload to the inside passes", facts(tainted, inside, observed(mcpproxy.KindOpaquePayload)), ""},

		{"much data before it passes", facts(search, observed(mcpproxy.KindExternalVolume)), ""},
		{"much data asks", facts(tainted, search, observed(mcpproxy.KindExternalVolume)), policy.RuleBudget},
		{
			"much data asks even where the user said",
			facts(tainted, goes(user), observed(mcpproxy.KindExternalVolume)),
			policy.RuleBudget,
		},
		{"many destinations ask", facts(tainted, search, observed(mcpproxy.KindManyDestinations)), policy.RuleBudget},
		{"another signal does not", facts(tainted, search, observed("volume_jump")), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tables := watchful()
			got := tables.Decide(c.facts)
			if got.Rule != c.rule || (got.Decision == mcpproxy.Ask) != (c.rule != "") {
				t.Errorf("%+v, want %q", got, c.rule)
			}
			if c.rule != "" && !strings.Contains(got.Reason, "files:read_file, activity 01J") {
				t.Errorf("the reason does not name the read: %s", got.Reason)
			}
		})
	}
}

func TestTaintIsAsStrictAsConfigured(t *testing.T) {
	for _, d := range []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Ask, mcpproxy.Deny} {
		tables := policy.Tables{SessionTaint: d, OpaquePayload: d, Budget: d}
		for name, f := range map[string]policy.Facts{
			"session_taint":       facts(tainted),
			"opaque_payload":      facts(tainted, operation(mcpproxy.Read), observed(mcpproxy.KindOpaquePayload)),
			"exfiltration.action": facts(tainted, operation(mcpproxy.Read), observed(mcpproxy.KindExternalVolume)),
		} {
			if got := tables.Decide(f); got.Decision != d {
				t.Errorf("%s: %s gave %+v", name, d, got)
			}
		}
	}
}

func TestAnOverrideSettlesTaint(t *testing.T) {
	tables := watchful()
	tables.ToolOverrides = map[string]mcpproxy.Decision{"slack:post_message": mcpproxy.Allow}
	if got := tables.Decide(facts(tainted, observed(mcpproxy.KindOpaquePayload))); got.Decision != mcpproxy.Allow {
		t.Errorf("%+v", got)
	}
}
