package policy

import (
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
)

// Tables are the configured decisions.
type Tables struct {
	InternalToExternal    mcpproxy.Decision
	SensitiveDataExternal mcpproxy.Decision
	DeclaredDestination   mcpproxy.Decision // about internal data that goes where the user said
	UntrustedDestination  mcpproxy.Decision // where untrusted content said
	InjectedDestination   mcpproxy.Decision // where an injected instruction said, whatever the call carries
	DictatedAct           mcpproxy.Decision // about a copied call that the user did not ask for
	UnrequestedAct        mcpproxy.Decision // about a serious effect that the user did not ask for
	MetadataDestination   mcpproxy.Decision // about requests to the metadata service of a cloud
	SessionTaint          mcpproxy.Decision // external sends after a sensitive read
	OpaquePayload         mcpproxy.Decision // unreadable payloads after a sensitive read
	Budget                mcpproxy.Decision // too many bytes or destinations after a sensitive read
	Groups                Groups
	SuspiciousEndpoints   []string
	ToolOverrides         map[string]mcpproxy.Decision // by "server:tool", "server", or the name of an agent's tool
	Operations            map[mcpproxy.Operation]mcpproxy.Decision
	Contradiction         mcpproxy.Decision // the upper limit for contradicting claims about a call
	Risk                  Risk
	Rules                 Rules         // the user's own rules; nil if there are none
	Suppressions          []Suppression // rules that are disabled for a server or tool
	Floor                 *Floor        // the policy of a managed machine's bundle; nil on other machines
}

// Facts are the inputs of the decision about a call: the facts in its record, the call itself, and values computed
// from both.
type Facts struct {
	mcpproxy.Facts

	Call        *mcpproxy.Call
	SendsAsked  bool     // a command of the line sends something, and the user's words ask for that
	Aimed       bool     // the user's words name an address, a channel or a handle
	OnlyFetches bool     // the call's command lines make requests and send no data
	Blocks      bool     // the call blocks, purges or revokes what its arguments name
	Strings     []string // the texts of the arguments, in which endpoints are searched
	RiskScore   int      // of all signals, 0 to 100
	RiskLevel   mcpproxy.RiskLevel
	RiskWithout int // the score without signals about sensitive data
	Coverage    mcpproxy.Coverage
}

// Rules are the user's own rules. Implementations MUST be safe for concurrent use and MUST return the same ruling for
// the same facts.
type Rules interface {
	// First returns the ruling of the first rule that holds for a call and is not skipped. settled is false if no
	// rule holds. A rule that cannot be evaluated asks but does not settle the call, so that a mistake in it lets
	// nothing through: later steps still apply, and r is then the mildest possible ruling. r is the zero Ruling if
	// every rule could be evaluated.
	First(f Facts, skip func(rule string) bool) (r Ruling, settled bool)
}

// Unredactable reports whether sensitive data leaves in a form that cannot be redacted, because the call does not
// contain it literally: a command moves it, or the call carries a piece of it.
func (f *Facts) Unredactable() bool {
	return slices.ContainsFunc(f.Edges, func(e mcpproxy.Edge) bool {
		return !e.Literal() && e.Type == mcpproxy.InternalToExternal &&
			len(e.Sensitive) > 0
	})
}

// Possible returns the ruling about the call as it can be carried out. Sensitive data can be redacted in the
// arguments of a tool or a prompt that contain it as a whole, but not in a call that a hook only reports. sensitive
// says whether anything would be redacted.
func (f *Facts) Possible(r Ruling, sensitive bool) Ruling {
	switch lost := f.Unredactable(); {
	case r.Decision != mcpproxy.Redact:
	case f.Call.Channel == mcpproxy.ChannelHook:
		r.Decision = mcpproxy.Ask // also if nothing would be redacted, so that the decision does not depend on it
	case !sensitive && !lost:
	case lost, f.Call.Kind != mcpproxy.KindTool && f.Call.Kind != mcpproxy.KindPrompt:
		r.Decision = mcpproxy.Deny
	}
	return r
}

// Ruling is a decision with the configuration key that made it and the reason in a sentence.
type Ruling struct {
	Decision mcpproxy.Decision
	Rule     string
	Reason   string
}

// Allowed reports whether the user has explicitly allowed the call: by an override or a rule.
func (r Ruling) Allowed() bool {
	return r.Decision == mcpproxy.Allow &&
		(strings.HasPrefix(r.Rule, RuleOverride) || strings.HasPrefix(r.Rule, RuleUser))
}

// Names of the rules: configuration keys, and names of rules that cannot be configured.
const (
	RuleSuspicious = "security.flow_policy.suspicious_endpoints"
	RuleOverride   = "security.flow_policy.tool_overrides"
	RuleSensitive  = "security.flow_policy.sensitive_data_external"
	RuleExternal   = "security.flow_policy.internal_to_external"
	RuleDeclared   = "security.flow_policy.declared_destination"
	RuleUntrusted  = "security.flow_policy.untrusted_destination"
	RuleInjected   = "security.flow_policy.injected_destination"
	RuleOperation  = "security.tool_policy."
	RuleUser       = "security.policies." // followed by the rule's name
	RuleContent    = "security.content_scan.results"
	RuleKill       = "security.kill_switch"
	RuleLog        = "activity.on_failure" // the log cannot be written
	RuleQuarantine = "security.tool_quarantine"
	RuleScope      = "token.scope"       // fixed: the scope of a token
	RuleSelf       = "agent.decides"     // fixed: agents must not decide what agents may do
	RuleSpeaker    = "hooks.speaker"     // fixed: hook events must come from hooks that the agent itself started
	RuleUnreadable = "inspection.failed" // fixed: what cannot be read is not let through
)

// Killed is the ruling about every call while the kill switch is on.
var Killed = Ruling{
	Decision: mcpproxy.Deny,
	Rule:     RuleKill,
	Reason:   "The kill switch is on: every call is denied.",
}

// Stricter returns the stricter of two rulings, or a if both are equally strict.
func Stricter(a, b Ruling) Ruling {
	if b.Decision.Rank() > a.Decision.Rank() {
		return b
	}
	return a
}

// Decide returns the ruling for a call. The rules that protect the user from injected instructions come first, then
// the user's own rules, then overrides, then the strictest of the tables. The first stop wins. On a managed machine
// the [Floor] decides too, and the stricter ruling wins.
func (t *Tables) Decide(f Facts) Ruling { return t.decide(f, nothing) }

// decide does what Decide does, but skips the rules for which done is true.
func (t *Tables) decide(f Facts, done func(rule string) bool) Ruling {
	usual := t.skips(f.Call)
	r := t.decideOwn(f, func(rule string) bool { return done(rule) || usual(rule) })
	if t.Floor == nil {
		return r
	}
	if floor := t.Floor.decide(f, done); floor.Decision.Rank() > mcpproxy.Allow.Rank() {
		return Stricter(floor, r)
	}
	return r
}

// decideOwn does what decide does, but ignores the floor. It skips the rules for which skip is true.
func (t *Tables) decideOwn(f Facts, skip func(rule string) bool) Ruling {
	if host, ok := t.Suspicious(f); ok {
		return Ruling{mcpproxy.Deny, RuleSuspicious, fmt.Sprintf("Data sent to a suspicious endpoint (%s).", host)}
	}
	if r, ok := t.Groups.wall(f); ok {
		return r
	}
	f = t.suppressed(f)
	if t.Rules == nil {
		return t.weigh(f, skip)
	}
	r, settled := t.Rules.First(f, skip)
	if settled {
		return r
	}
	return Stricter(t.weigh(f, skip), r)
}

// weigh returns the ruling of the override for the tool, or otherwise of the strictest table.
func (t *Tables) weigh(f Facts, skip func(rule string) bool) Ruling {
	if d, key, ok := t.override(f.Call); ok && !skip(RuleOverride+"."+key) {
		return Ruling{d, RuleOverride + "." + key, fmt.Sprintf("The configured override for %s says %s.", key, d)}
	}
	best := Ruling{Decision: mcpproxy.Allow}
	for _, r := range []Ruling{
		t.flow(f, skip),
		t.destination(f),
		t.afterInstruction(f),
		t.secret(f),
		t.dictated(f),
		t.stolen(f),
		t.spread(f),
		t.leaked(f),
		t.unrequested(f),
		t.metadata(f),
		t.taint(f),
		t.opaque(f),
		t.budget(f),
		t.contradiction(f),
		t.operation(f),
	} {
		if r.Decision.Rank() > best.Decision.Rank() && !skip(r.Rule) {
			best = r
		}
	}
	if r := t.risk(f, best.Decision == mcpproxy.Redact, skip); r.Decision.Rank() > best.Decision.Rank() {
		return r
	}
	return best
}

// maxAlso is the maximum number of further rules that are named for a stopped call.
const maxAlso = 16

// Also returns the rules that would have stopped a call if the ruling r had not. Each of them would have stopped it
// without the rules before.
func (t *Tables) Also(f Facts, r Ruling) []string {
	more, _ := t.behind(f, r)
	return more
}

// Unasked returns the decision about a call for which r asks, if nobody can be asked (spec-027: the call continues
// and is logged). What would be redacted without the question is redacted; if that is impossible, the call is denied.
// A destructive call is denied, because its effect cannot be undone. sensitive is as in [Facts.Possible].
func (t *Tables) Unasked(f Facts, r Ruling, sensitive bool) mcpproxy.Decision {
	if r.Rule == RuleOperation+string(mcpproxy.Destructive) {
		return mcpproxy.Deny
	}
	if _, redacts := t.behind(f, r); redacts {
		return f.Possible(Ruling{Decision: mcpproxy.Redact}, sensitive).Decision
	}
	return mcpproxy.Warn
}

// behind returns the rules that would have stopped or changed a call if the ruling r had not, and whether one of them
// redacts.
func (t *Tables) behind(f Facts, r Ruling) (rules []string, redacts bool) {
	done := func(rule string) bool { return rule == r.Rule || slices.Contains(rules, rule) }
	for Suppressible(r.Rule) && len(rules) < maxAlso {
		next := t.decide(f, done)
		if next.Decision.Rank() < mcpproxy.Redact.Rank() || !Suppressible(next.Rule) {
			break
		}
		redacts = redacts || next.Decision == mcpproxy.Redact
		rules = append(rules, next.Rule)
	}
	return rules, redacts
}

// flow returns the decision of the flow table about the most serious edge.
func (t *Tables) flow(f Facts, skip func(rule string) bool) Ruling {
	best := Ruling{Decision: mcpproxy.Allow}
	for _, e := range f.Edges {
		if e.Type != mcpproxy.InternalToExternal || e.Own {
			continue
		}
		r := t.outward(f, e)
		asked := f.entitled() || f.wished() && (f.exposes() != "" || f.paysTo(e.Path)) // outward decides about these
		if len(e.Sensitive) > 0 && !skip(RuleSensitive) && !(asked && personal(e.Sensitive)) {
			r = Ruling{t.SensitiveDataExternal, RuleSensitive,
				fmt.Sprintf("Sensitive data (%s) flowing from internal source (%s) to external destination (%s).",
					strings.Join(e.Sensitive, ", "), source(e), e.To)}
		}
		if r.Decision.Rank() > best.Decision.Rank() && !skip(r.Rule) {
			best = r
		}
	}
	return best
}

// secret decides about a secret that goes outside its own audience, on whichever side the receiving server is. It
// also decides about personal data that leaves although its origin is not known: the agent may have read it where
// mcpproxy sees nothing.
func (t *Tables) secret(f Facts) Ruling {
	for _, s := range f.Secrets {
		if s.Audience == mcpproxy.SecretOutside {
			return Ruling{t.SensitiveDataExternal, RuleSensitive, strayed(f, s)}
		}
	}
	if f.Class().Side != mcpproxy.External && f.Class().Side != mcpproxy.Hybrid {
		return Ruling{Decision: mcpproxy.Allow}
	}
	for _, s := range f.Signals {
		asked := f.entitled() || f.wished() && (s.Said || f.paysTo(s.Path))
		if !s.Sensitive() || f.atHome(s) || f.known(s) || asked && personal([]string{s.Category}) {
			continue
		}
		return Ruling{
			t.SensitiveDataExternal,
			RuleSensitive,
			fmt.Sprintf(
				"Sensitive data (%s) from an unknown source flowing to external destination (%s).",
				s.Category,
				destination(f),
			),
		}
	}
	return Ruling{Decision: mcpproxy.Allow}
}

// destination returns where a call goes: its server, or for an agent's own tool the destinations, as far as they are
// known.
func destination(f Facts) string {
	if f.Call.Server != "" {
		return f.Call.Server
	}
	for _, d := range f.Destinations {
		if d.Kind != kindArgument {
			return d.Value
		}
	}
	return f.Call.Tool
}

// source returns where data comes from: for a command that moves data itself, the files that it names.
func source(e mcpproxy.Edge) string {
	if e.Match == "shell" {
		if files, _, ok := strings.Cut(e.Evidence, " → "); ok && files != "" {
			return files
		}
	}
	return e.From.Name()
}

// operation applies security.tool_policy. An unknown operation of a server's tool counts as a write. If the agent
// declares that its call is destructive, the declaration counts.
func (t *Tables) operation(f Facts) Ruling {
	if f.Call.Kind != mcpproxy.KindTool {
		return Ruling{Decision: mcpproxy.Allow}
	}
	op, does := f.Operation, "is "+string(f.Operation)
	if op == mcpproxy.UnknownOperation && f.Call.Server != "" {
		op, does = mcpproxy.Write, "does what nobody can tell, as if it wrote"
	}
	asAsked := f.destroysAsAsked()
	if op == mcpproxy.Write && f.Call.Intent.Operation == mcpproxy.Destructive {
		op, does = mcpproxy.Destructive, "is called as one that destroys"
		asAsked = f.wished() || f.covered()
	}
	d, ok := t.Operations[op]
	if !ok || op == mcpproxy.Destructive && d == mcpproxy.Ask && asAsked {
		return Ruling{Decision: mcpproxy.Allow}
	}
	return Ruling{d, RuleOperation + string(op),
		fmt.Sprintf("The tool %s %s, and the policy for such tools is %s.", f.Call.Name(), does, d)}
}

// override returns the most specific override for a call.
func (t *Tables) override(c *mcpproxy.Call) (mcpproxy.Decision, string, bool) {
	for _, key := range []string{c.Name(), c.Server} {
		if d, ok := t.ToolOverrides[key]; ok && key != "" {
			return d, key, true
		}
	}
	return "", "", false
}
