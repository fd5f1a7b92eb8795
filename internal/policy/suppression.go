package policy

import (
	"slices"
	"strings"
	"time"

	"mcpproxy"
)

// Suppression disables one rule for one server or tool.
type Suppression struct {
	Rule   string // a table's key, the name of a user's rule, or a kind or category of signals
	Server string // "" for an agent's own tool
	Tool   string // "" for all tools of the server
	Until  time.Time
}

// holds reports whether s applies to the tool of a call at the time of the call.
func (s Suppression) holds(c *mcpproxy.Call) bool {
	return s.Server == c.Server && (s.Tool == c.Tool || s.Tool == "" && s.Server != "") &&
		(s.Until.IsZero() || c.Received.Before(s.Until))
}

// Suppressible reports whether a rule can be disabled for a tool. Rules that protect the user from injected
// instructions cannot.
func Suppressible(rule string) bool {
	return rule != "" && !strings.HasPrefix(rule, mcpproxy.GroupRule) &&
		!slices.Contains(
			[]string{
				RuleSuspicious,
				RuleKill,
				RuleLog,
				RuleQuarantine,
				RuleScope,
				RuleSelf,
				RuleSpeaker,
				RuleUnreadable,
				RuleBundle,
				RuleBundleServers,
			},
			rule,
		)
}

// SuppressibleRules are the rules of the tables that can be disabled for a tool, as records name them, and the kinds
// of signals that are not about kinds of data.
var SuppressibleRules = []string{
	RuleSensitive,
	RuleExternal,
	RuleDeclared,
	RuleUntrusted,
	RuleInjected,
	RuleDictated,
	RuleUnrequested,
	RuleMetadata,
	RuleTaint,
	RuleOpaque,
	RuleBudget,
	RuleContradiction,
	RuleContent,
	RuleFlag,
	RuleApprove,
	RuleBlock,
	RuleOperation + string(mcpproxy.Read),
	RuleOperation + string(mcpproxy.Write),
	RuleOperation + string(
		mcpproxy.Destructive,
	),
	mcpproxy.KindOpaquePayload,
	mcpproxy.KindUnexplained,
	mcpproxy.KindExternalVolume,
	mcpproxy.KindManyDestinations,
	mcpproxy.KindContradiction,
	"internal_to_external",
	"lethal_trifecta",
	"pii_to_external",
	mcpproxy.KindRapidSends,
	"new_destination",
	"unusual_hour",
	"volume_jump",
	"inspection_truncated",
}

// nothing skips no rule.
func nothing(string) bool { return false }

// skips returns a function that reports which rules are disabled for a call.
func (t *Tables) skips(c *mcpproxy.Call) func(rule string) bool {
	var rules []string
	for _, s := range t.Suppressions {
		if s.holds(c) && Suppressible(s.Rule) {
			rules = append(rules, s.Rule, RuleUser+s.Rule)
		}
	}
	if len(rules) == 0 {
		return nothing
	}
	return func(rule string) bool { return slices.Contains(rules, rule) }
}

// Skips reports whether a rule is disabled for a call.
func (t *Tables) Skips(c *mcpproxy.Call, rule string) bool { return t.skips(c)(rule) }

// Mark marks the signals that are suppressed for a call, by their kind or category. They stay visible.
func (t *Tables) Mark(c *mcpproxy.Call, signals []mcpproxy.Signal) {
	for _, s := range t.Suppressions {
		if !s.holds(c) {
			continue
		}
		for i := range signals {
			if signals[i].Kind == s.Rule || signals[i].Category == s.Rule {
				signals[i].Suppressed = true
			}
		}
	}
}

// suppressed returns the facts without suppressed data. A category of moved data does not count if a suppression
// names the category. A suppression of a kind of signal has no effect on moved data, because its kind is not known.
func (t *Tables) suppressed(f Facts) Facts {
	var out []string
	for _, s := range t.Suppressions {
		if s.holds(f.Call) {
			out = append(out, s.Rule)
		}
	}
	if len(out) == 0 {
		return f
	}
	gone := func(category string) bool { return slices.Contains(out, category) }
	f.Edges = slices.Clone(f.Edges)
	for i := range f.Edges {
		f.Edges[i].Sensitive = slices.DeleteFunc(slices.Clone(f.Edges[i].Sensitive), gone)
	}
	f.Secrets = slices.DeleteFunc(slices.Clone(f.Secrets), func(s mcpproxy.Secret) bool {
		return gone(s.Category) || gone(s.Kind)
	})
	f.Secrets = slices.DeleteFunc(slices.Clone(f.Secrets), func(s mcpproxy.Secret) bool {
		return gone(s.Category) || gone(s.Kind)
	})
	return f
}
