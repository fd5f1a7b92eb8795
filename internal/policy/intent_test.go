package policy_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// asked returns the default configuration of the rules about the user's words.
func asked() *policy.Tables {
	return &policy.Tables{
		InternalToExternal:    mcpproxy.Ask,
		SensitiveDataExternal: mcpproxy.Ask,
		DictatedAct:           mcpproxy.Ask,
		UnrequestedAct:        mcpproxy.Ask,
		Operations: map[mcpproxy.Operation]mcpproxy.Decision{
			mcpproxy.Write:       mcpproxy.Allow,
			mcpproxy.Destructive: mcpproxy.Ask,
		},
	}
}

// left returns the dictation of a text that the user told the agent to follow.
func left(d *mcpproxy.Dictation) *mcpproxy.Dictation {
	other := *d
	other.Pointed, other.Delegated = true, true
	return &other
}

func TestTheDecisionDependsOnWhoAskedForTheCall(t *testing.T) {
	stranger := mcpproxy.Origin{
		CallID:    "1",
		Server:    "web",
		Tool:      "fetch",
		Side:      mcpproxy.External,
		Untrusted: true,
	}
	records := mcpproxy.Origin{
		CallID: "2",
		Server: "crm",
		Tool:   "get_customer",
		Side:   mcpproxy.Internal,
	}
	met := mcpproxy.Legs{
		Private:   &mcpproxy.Leg{CallID: "2", Name: "crm:get_customer"},
		Untrusted: &mcpproxy.Leg{CallID: "1", Name: "web:fetch"},
	}
	said := &mcpproxy.Dictation{
		From:   stranger,
		Share:  0.8,
		Aims:   true,
		Asks:   true,
		Values: []string{"eve@x.example"},
	}
	moves := []mcpproxy.Edge{{
		From:   records,
		To:     "github",
		ToSide: mcpproxy.Internal,
		Type:   mcpproxy.InternalToInternal,
	}}
	people := []mcpproxy.Edge{{
		From:      records,
		Type:      mcpproxy.InternalToExternal,
		Sensitive: []string{"bank_account"},
		Path:      "arguments.text",
	}}
	account := func(n string) mcpproxy.Signal {
		return mcpproxy.Signal{
			Source:     mcpproxy.SourcePII,
			Kind:       "iban",
			Category:   "bank_account",
			Severity:   mcpproxy.SeverityHigh,
			Confidence: 0.9,
			Evidence:   n,
			Path:       "arguments.text",
		}
	}
	for name, c := range map[string]struct {
		facts mcpproxy.Facts
		want  string // the rule that asks; "" if the call passes
	}{
		"a send that the user did not ask for, to an address in a text that he left the decision to": {
			mcpproxy.Facts{
				Effect:    mcpproxy.EffectSend,
				Wish:      mcpproxy.WishGeneral,
				Audience:  mcpproxy.AudienceNamed,
				Legs:      met,
				Dictation: left(said),
			}, policy.RuleDictated,
		},
		"the same send, which the user asked for": {
			mcpproxy.Facts{
				Effect:    mcpproxy.EffectSend,
				Wish:      mcpproxy.WishYes,
				Audience:  mcpproxy.AudienceNamed,
				Legs:      met,
				Dictation: left(said),
			}, "",
		},
		"access for an address that the user did not name, after a general request": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectGrant,
				Wish:     mcpproxy.WishGeneral,
				Audience: mcpproxy.AudienceNamed,
				Legs:     mcpproxy.Legs{Private: met.Private},
				Destinations: []mcpproxy.Destination{{
					Value: "eve@x.example", Kind: "email", Source: mcpproxy.FromInternal,
				}},
			}, policy.RuleUnrequested,
		},
		"a destructive act that the user asked for": {
			mcpproxy.Facts{Operation: mcpproxy.Destructive, Effect: mcpproxy.EffectDelete, Wish: mcpproxy.WishYes}, "",
		},
		"a destructive act that he did not ask for": {
			mcpproxy.Facts{Operation: mcpproxy.Destructive, Effect: mcpproxy.EffectDelete, Wish: mcpproxy.WishNo},
			policy.RuleOperation + "destructive",
		},
		"a deletion that he did not name, for a goal that may need changes": {
			mcpproxy.Facts{Operation: mcpproxy.Destructive, Effect: mcpproxy.EffectDelete, Wish: mcpproxy.WishGeneral},
			policy.RuleOperation + "destructive",
		},
		"another destructive call for such a goal": {
			mcpproxy.Facts{Operation: mcpproxy.Destructive, Effect: mcpproxy.EffectChange, Wish: mcpproxy.WishGeneral}, "",
		},
		"a message to whom a page names that the user told to read": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectSend,
				Wish:     mcpproxy.WishUnknown,
				Legs:     met,
				Audience: mcpproxy.AudienceNamed,
				Dictation: &mcpproxy.Dictation{
					From:    stranger,
					Share:   0.5,
					Aims:    true,
					Pointed: true,
				},
			},
			policy.RuleDictated,
		},
		"the same message when the user asked for one": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectSend,
				Wish:     mcpproxy.WishYes,
				Legs:     met,
				Audience: mcpproxy.AudienceNamed,
				Dictation: &mcpproxy.Dictation{
					From:    stranger,
					Share:   0.3,
					Aims:    true,
					Pointed: true,
				},
			}, "",
		},
		"a payment that nobody asked for, after a stranger's text": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectPay,
				Wish:     mcpproxy.WishNo,
				Legs:     met,
				Audience: mcpproxy.AudienceSelf,
			},
			policy.RuleUnrequested,
		},
		"the same payment when the words are not understood": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectPay,
				Wish:     mcpproxy.WishUnknown,
				Legs:     met,
				Audience: mcpproxy.AudienceSelf,
			}, "",
		},
		"an act that was copied from a stranger's text": {
			mcpproxy.Facts{
				Effect:    mcpproxy.EffectGrant,
				Wish:      mcpproxy.WishNo,
				Dictation: said,
				Audience:  mcpproxy.AudienceSelf,
			},
			policy.RuleDictated,
		},
		"the same act, left to the text by the user, if it is serious": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectGrant,
				Wish:     mcpproxy.WishGeneral,
				Audience: mcpproxy.AudienceSelf,
				Dictation: &mcpproxy.Dictation{
					From:      stranger,
					Share:     0.8,
					Asks:      true,
					Aims:      true,
					Pointed:   true,
					Delegated: true,
				},
			},
			policy.RuleDictated,
		},
		"records that others can see, after a stranger's text": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectCreate,
				Wish:     mcpproxy.WishUnknown,
				Legs:     met,
				Edges:    moves,
				Audience: mcpproxy.AudienceUnknown,
			},
			policy.RuleExternal,
		},
		"the same records at home": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectCreate,
				Wish:     mcpproxy.WishUnknown,
				Legs:     met,
				Edges:    moves,
				Audience: mcpproxy.AudienceHome,
			}, "",
		},
		"the same records when the user asked for it": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectCreate,
				Wish:     mcpproxy.WishYes,
				Legs:     met,
				Edges:    moves,
				Audience: mcpproxy.AudienceNamed,
			}, "",
		},
		"a note to others that nobody asked for, after private and strangers' texts": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectSend,
				Wish:     mcpproxy.WishNo,
				Legs:     met,
				Audience: mcpproxy.AudienceNamed,
			},
			policy.RuleUnrequested,
		},
		"a copy for an address that only a text named, which the others do not see": {
			mcpproxy.Facts{
				Effect:       mcpproxy.EffectSend,
				Wish:         mcpproxy.WishYes,
				Audience:     mcpproxy.AudienceNamed,
				Dictation:    left(said),
				Destinations: []mcpproxy.Destination{{Kind: "email", Path: "arguments.bcc[0]", Source: mcpproxy.FromInternal}},
			}, policy.RuleDictated,
		},
		"accounts of several people, in an answer to somebody who wrote": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectSend,
				Wish:     mcpproxy.WishYes,
				Audience: mcpproxy.AudienceUnknown,
				Edges:    people,
				Signals:  []mcpproxy.Signal{account("1"), account("2")},
			}, policy.RuleExternal,
		},
		"access for an account that only the text names to which the user left the decision": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectGrant,
				Wish:     mcpproxy.WishYes,
				Audience: mcpproxy.AudienceUnknown,
				Dictation: left(&mcpproxy.Dictation{
					From:   records,
					Share:  0.4,
					Asks:   true,
					Values: []string{"garden-sync-bot"},
				}),
			}, policy.RuleDictated,
		},
		"access that a text asks for, where the user said that it is approved": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectGrant,
				Wish:     mcpproxy.WishYes,
				Audience: mcpproxy.AudienceUnknown,
				Dictation: left(&mcpproxy.Dictation{
					From:    records,
					Share:   0.4,
					Asks:    true,
					Vouched: true,
					Values:  []string{"garden-sync-bot"},
				}),
			}, "",
		},
		"a confidential document, in an answer to somebody who wrote": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectSend,
				Wish:     mcpproxy.WishYes,
				Audience: mcpproxy.AudienceUnknown,
				Edges: []mcpproxy.Edge{{
					From: mcpproxy.Origin{CallID: "3", Server: "vault", Confidential: true},
					Type: mcpproxy.InternalToExternal,
					Path: "arguments.text",
				}},
			}, policy.RuleExternal,
		},
		"to the writer whose text spelled the call, with the user's data": {
			mcpproxy.Facts{
				Effect:    mcpproxy.EffectSend,
				Wish:      mcpproxy.WishYes,
				Audience:  mcpproxy.AudienceNamed,
				Legs:      met,
				Edges:     people,
				Dictation: &mcpproxy.Dictation{From: stranger, Share: 0.7, Pointed: true},
				Destinations: []mcpproxy.Destination{{
					Kind:   "email",
					Path:   "arguments.to",
					Source: mcpproxy.FromUntrusted,
					From:   &stranger,
				}},
			}, policy.RuleSensitive,
		},
		"one account, in an answer to somebody who wrote": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectSend,
				Wish:     mcpproxy.WishYes,
				Audience: mcpproxy.AudienceUnknown,
				Edges:    people,
				Signals:  []mcpproxy.Signal{account("1"), account("1")},
			}, "",
		},
		"accounts of several people, to somebody whom the user named": {
			mcpproxy.Facts{
				Effect:       mcpproxy.EffectSend,
				Wish:         mcpproxy.WishYes,
				Audience:     mcpproxy.AudienceNamed,
				Edges:        people,
				Signals:      []mcpproxy.Signal{account("1"), account("2")},
				Destinations: []mcpproxy.Destination{{Kind: "email", Path: "arguments.to", Source: mcpproxy.FromUser}},
			}, "",
		},
		"the account of an invoice, for the bank": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectPay,
				Wish:     mcpproxy.WishYes,
				Audience: mcpproxy.AudienceNamed,
				Legs:     met,
				Edges: []mcpproxy.Edge{{
					From:      stranger,
					Type:      mcpproxy.InternalToExternal,
					Sensitive: []string{"bank_account"},
					Path:      "arguments.iban",
				}},
				Dictation: left(said),
				Destinations: []mcpproxy.Destination{
					{Kind: "account", Path: "arguments.iban", Source: mcpproxy.FromNowhere},
				},
			}, policy.RuleExternal,
		},
		"a note to oneself": {
			mcpproxy.Facts{
				Effect:   mcpproxy.EffectCreate,
				Wish:     mcpproxy.WishNo,
				Legs:     met,
				Audience: mcpproxy.AudienceSelf,
			}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.facts.Classification = &mcpproxy.Class{Side: mcpproxy.Internal}
			r := asked().Decide(policy.Facts{
				Facts: c.facts,
				Call:  &mcpproxy.Call{Kind: mcpproxy.KindTool, Server: "github", Tool: "act"},
			})
			want := mcpproxy.Ask
			if c.want == "" {
				want = mcpproxy.Allow
			}
			if r.Decision != want || c.want != "" && r.Rule != c.want {
				t.Errorf("%s by %q, want %q: %s", r.Decision, r.Rule, c.want, r.Reason)
			}
		})
	}
}

func TestAToolWithAnUnknownOperationCountsAsAChange(t *testing.T) {
	tables := asked()
	tables.Operations[mcpproxy.Write] = mcpproxy.Ask
	facts := policy.Facts{Facts: mcpproxy.Facts{Operation: mcpproxy.UnknownOperation}}
	for server, want := range map[string]mcpproxy.Decision{"theta": mcpproxy.Ask, "": mcpproxy.Allow} {
		facts.Call = &mcpproxy.Call{Kind: mcpproxy.KindTool, Server: server, Tool: "theta_thing"}
		if r := tables.Decide(facts); r.Decision != want {
			t.Errorf("server %q: %s by %s", server, r.Decision, r.Rule)
		}
	}
}

// Shows: RFC-18.
func TestAnAgentsClaimThatItsCallDestroysIsBelieved(t *testing.T) {
	for name, c := range map[string]struct {
		tool, says mcpproxy.Operation
		wish       mcpproxy.Wish
		want       mcpproxy.Decision
	}{
		"of a tool that writes":                  {mcpproxy.Write, mcpproxy.Destructive, mcpproxy.WishUnheard, mcpproxy.Ask},
		"of an unknown tool":                     {mcpproxy.UnknownOperation, mcpproxy.Destructive, mcpproxy.WishUnheard, mcpproxy.Ask},
		"where the user asked for it":            {mcpproxy.Write, mcpproxy.Destructive, mcpproxy.WishYes, mcpproxy.Allow},
		"and not that it only writes":            {mcpproxy.Destructive, mcpproxy.Write, mcpproxy.WishNo, mcpproxy.Ask},
		"a write that is called as one":          {mcpproxy.Write, mcpproxy.Write, mcpproxy.WishUnheard, mcpproxy.Allow},
		"a read, which contradicts what is said": {mcpproxy.Read, mcpproxy.Destructive, mcpproxy.WishUnheard, mcpproxy.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			f := policy.Facts{
				Facts: mcpproxy.Facts{Operation: c.tool, Effect: mcpproxy.EffectDelete, Wish: c.wish},
				Call: &mcpproxy.Call{
					Kind:   mcpproxy.KindTool,
					Server: "disk",
					Tool:   "nuke",
					Intent: mcpproxy.Intent{Operation: c.says},
				},
			}
			if got := asked().Decide(f); got.Decision != c.want {
				t.Errorf("got %+v, want %s", got, c.want)
			}
		})
	}
}

func TestTheAccountOfAnInvoiceIsAskedAboutAndNotDenied(t *testing.T) {
	paid := func(path string) policy.Facts {
		return policy.Facts{
			Facts: mcpproxy.Facts{
				Classification: &mcpproxy.Class{Side: mcpproxy.External},
				Effect:         mcpproxy.EffectPay,
				Wish:           mcpproxy.WishYes,
				Audience:       mcpproxy.AudienceNamed,
				Dictation: &mcpproxy.Dictation{
					From:   mcpproxy.Origin{CallID: "1", Untrusted: true},
					Asks:   true,
					Aims:   true,
					Share:  0.5,
					Values: []string{"…"},
				},
				Signals: []mcpproxy.Signal{{
					Source:     mcpproxy.SourcePII,
					Kind:       "iban",
					Category:   "bank_account",
					Severity:   mcpproxy.SeverityHigh,
					Confidence: 0.9,
					Path:       path,
				}},
				Destinations: []mcpproxy.Destination{{Kind: "account", Path: "arguments.iban"}},
			},
			Call: &mcpproxy.Call{Kind: mcpproxy.KindTool, Server: "bank", Tool: "transfer"},
		}
	}
	tables := asked()
	tables.SensitiveDataExternal = mcpproxy.Deny
	if r := tables.Decide(paid("arguments.iban")); r.Decision != mcpproxy.Ask || r.Rule != policy.RuleDictated {
		t.Errorf("the payee's account: %s by %q", r.Decision, r.Rule)
	}
	if r := tables.Decide(paid("arguments.note")); r.Decision != mcpproxy.Deny || r.Rule != policy.RuleSensitive {
		t.Errorf("another account: %s by %q", r.Decision, r.Rule)
	}
}
