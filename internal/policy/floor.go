package policy

import (
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
)

// Rules that exist only on managed machines.
const (
	// RuleBundle is the rule that denies calls on a managed machine without a valid bundle.
	RuleBundle = "bundle"
	// RuleBundleServers is the rule that denies calls of servers that are not in the bundle's list.
	RuleBundleServers = "bundle.servers"
)

// ownServer is the name of this program as a server. The bundle's list need not contain it.
const ownServer = "mcpproxy"

// Floor is the policy of a managed machine's bundle. It applies whatever the user's configuration says: the stricter
// of both rulings wins.
type Floor struct {
	Label string // name and version of the bundle
	// Closed says why every call is denied; "" if the policy decides.
	Closed string
	Tables *Tables // the tables of the bundle alone; nil if there is no bundle
	// Limited says that only the servers in Servers may be called.
	Limited bool
	Servers []string
}

// InTurn evaluates Before, and then After if no rule of Before settles the call.
type InTurn struct{ Before, After Rules }

// First implements [Rules].
func (i InTurn) First(f Facts, skip func(rule string) bool) (Ruling, bool) {
	r, settled := i.Before.First(f, skip)
	if settled {
		return r, true
	}
	next, settled := i.After.First(f, skip)
	return Stricter(next, r), settled
}

// decide returns the floor's ruling without the rules for which done is true.
func (fl *Floor) decide(f Facts, done func(rule string) bool) Ruling {
	r := fl.rule(f, done)
	if r.Rule != RuleBundle && r.Decision.Rank() > mcpproxy.Allow.Rank() {
		r.Reason = fmt.Sprintf("Your company's bundle %s %s: rule %s: %s", fl.Label, does[r.Decision], shortRule(r.Rule), r.Reason)
	}
	return r
}

func (fl *Floor) rule(f Facts, done func(rule string) bool) Ruling {
	switch {
	case fl.Closed != "" || fl.Tables == nil:
		return Ruling{mcpproxy.Deny, RuleBundle, fl.Closed}
	case fl.Limited && f.Call.Server != "" && f.Call.Server != ownServer && !slices.Contains(fl.Servers, f.Call.Server):
		return Ruling{mcpproxy.Deny, RuleBundleServers,
			fmt.Sprintf("The server %s is not among the servers that may be used.", f.Call.Server)}
	}
	return fl.Tables.decide(f, done)
}

// does describes what a bundle does to a call.
var does = map[mcpproxy.Decision]string{
	mcpproxy.Warn:   "warns about this",
	mcpproxy.Redact: "has secrets removed from this",
	mcpproxy.Ask:    "asks a person about this",
	mcpproxy.Deny:   "denies this",
}

// shortRule returns the name of a rule as it is written in the source of the bundle.
func shortRule(rule string) string { return strings.TrimPrefix(rule, RuleUser) }

// FromBundle returns the label of the bundle that made the ruling r, or "" if the user's own configuration made it.
func (t *Tables) FromBundle(f Facts, r Ruling) string {
	if t.Floor == nil || r.Decision.Rank() <= mcpproxy.Allow.Rank() || t.Floor.decide(f, nothing) != r {
		return ""
	}
	return t.Floor.Label
}

// Wall combines [Groups.Wall] of the user's groups and of the bundle's groups.
func (t *Tables) Wall(server string) func(from string) bool {
	own := t.Groups.Wall(server)
	if t.Floor == nil || t.Floor.Tables == nil {
		return own
	}
	floor := t.Floor.Tables.Groups.Wall(server)
	if own == nil || floor == nil {
		if own == nil {
			return floor
		}
		return own
	}
	return func(from string) bool { return own(from) || floor(from) }
}
