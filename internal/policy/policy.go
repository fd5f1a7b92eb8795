package policy

import (
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
)

// Tables are the configured answers.
type Tables struct {
	InternalToExternal    mcpproxy.Decision
	SensitiveDataExternal mcpproxy.Decision
	DeclaredDestination   mcpproxy.Decision // of internal data that goes where the user said
	UntrustedDestination  mcpproxy.Decision // where untrusted content said
	InjectedDestination   mcpproxy.Decision // where an instruction in it said, whatever the call carries
	DictatedAct           mcpproxy.Decision // an act that a result spelled and the user did not ask for
	UnrequestedAct        mcpproxy.Decision // a grave act that the user did not ask for
	MetadataDestination   mcpproxy.Decision // requests to the metadata service of a cloud
	SessionTaint          mcpproxy.Decision // external sends after a sensitive read
	OpaquePayload         mcpproxy.Decision // unreadable payloads after a sensitive read
	Budget                mcpproxy.Decision // too many bytes or destinations after a sensitive read
	Groups                Groups
	SuspiciousEndpoints   []string
	ToolOverrides         map[string]mcpproxy.Decision // by "server:tool", "server" or agent tool name
	Operations            map[mcpproxy.Operation]mcpproxy.Decision
	Contradiction         mcpproxy.Decision // at most, when claims about a call contradict each other
	Risk                  Risk
	Rules                 Rules         // the user's own; nil when there are none
	Suppressions          []Suppression // rules that do not hold for a server or tool
	Floor                 *Floor        // what the bundle of a managed machine decides; nil on other machines
}

// Facts are the inputs of the decision about a call: those that its record keeps,
// the call itself, and what follows from both.
type Facts struct {
	mcpproxy.Facts

	Call        *mcpproxy.Call
	Aimed       bool     // the user's words name an address, a channel or a handle
	Strings     []string // the texts of the arguments, for endpoints
	RiskScore   int      // of the signals, 0 to 100
	RiskLevel   mcpproxy.RiskLevel
	RiskWithout int // the score without what is about sensitive data
	Coverage    mcpproxy.Coverage
}

// Rules are rules of the user's own. Implementations MUST be safe for concurrent
// use and MUST answer the same for the same facts.
type Rules interface {
	// First is the ruling of the first rule that holds for a call and is not
	// skipped; settled is false when none does. A rule that cannot be evaluated asks
	// and settles nothing, so that a mistake in it lets nothing through: what comes
	// behind it has its say, and r is then the least that happens. It is the zero
	// Ruling when every rule could be evaluated.
	First(f Facts, skip func(rule string) bool) (r Ruling, settled bool)
}

// Unredactable reports whether sensitive data leaves that does not stand in the call
// as it is, so that nothing of it could be replaced: a command moves it, or the call
// carries it piece by piece.
func (f *Facts) Unredactable() bool {
	return slices.ContainsFunc(f.Edges, func(e mcpproxy.Edge) bool {
		return (e.Match == "shell" || e.Match == "shards") && e.Type == mcpproxy.InternalToExternal &&
			len(e.Sensitive) > 0
	})
}

// Possible is a ruling about the call as it can be carried out: what is sensitive can
// be replaced in the arguments of a tool or a prompt, where it stands whole, and not
// in what a hook only tells of. Sensitive says whether anything would be replaced.
func (f *Facts) Possible(r Ruling, sensitive bool) Ruling {
	switch lost := f.Unredactable(); {
	case r.Decision != mcpproxy.Redact:
	case f.Call.Channel == mcpproxy.ChannelHook:
		r.Decision = mcpproxy.Ask // also where nothing would be replaced: its agent is asked, so all say so
	case !sensitive && !lost:
	case lost, f.Call.Kind != mcpproxy.KindTool && f.Call.Kind != mcpproxy.KindPrompt:
		r.Decision = mcpproxy.Deny
	}
	return r
}

// Ruling is a decision, the key that made it, and the reason in plain words.
type Ruling struct {
	Decision mcpproxy.Decision
	Rule     string
	Reason   string
}

// Allowed reports whether the user has settled by name that the call may pass: by
// an override or a rule.
func (r Ruling) Allowed() bool {
	return r.Decision == mcpproxy.Allow &&
		(strings.HasPrefix(r.Rule, RuleOverride) || strings.HasPrefix(r.Rule, RuleUser))
}

// Names of the rules: the configuration keys, or what no key can change.
const (
	RuleSuspicious = "security.flow_policy.suspicious_endpoints"
	RuleOverride   = "security.flow_policy.tool_overrides"
	RuleSensitive  = "security.flow_policy.sensitive_data_external"
	RuleExternal   = "security.flow_policy.internal_to_external"
	RuleDeclared   = "security.flow_policy.declared_destination"
	RuleUntrusted  = "security.flow_policy.untrusted_destination"
	RuleInjected   = "security.flow_policy.injected_destination"
	RuleOperation  = "security.tool_policy."
	RuleUser       = "security.policies." // and the rule's name
	RuleContent    = "security.content_scan.results"
	RuleKill       = "security.kill_switch"
	RuleLog        = "activity.on_failure" // the log cannot be written
	RuleQuarantine = "security.tool_quarantine"
	RuleScope      = "token.scope"       // fixed: a token is for what it was made for
	RuleSelf       = "agent.decides"     // fixed: what agents may do is not theirs to decide
	RuleSpeaker    = "hooks.speaker"     // fixed: events come from hooks that the agent itself has started
	RuleUnreadable = "inspection.failed" // fixed: what cannot be read is not let through
)

// Killed is the ruling about every call while the kill switch is on.
var Killed = Ruling{
	Decision: mcpproxy.Deny,
	Rule:     RuleKill,
	Reason:   "The kill switch is on: every call is denied.",
}

// Stricter is the stricter of two rulings, a when they are as strict as each other.
func Stricter(a, b Ruling) Ruling {
	if b.Decision.Rank() > a.Decision.Rank() {
		return b
	}
	return a
}

// Decide returns the ruling for a call. What protects the user from being talked
// into something comes first; then the user's own rules, then overrides, and then
// the strictest of the tables. The first stop wins. On a managed machine, the [Floor] decides too, and
// the stricter ruling holds.
func (t *Tables) Decide(f Facts) Ruling { return t.decide(f, nothing) }

// decide is Decide without the rules for which done is true.
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

// decideOwn is decide without the floor and without the rules that are skipped.
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

// weigh is the ruling of the override for the tool, or else of the strictest table.
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

// maxAlso is how many rules are named beside the one that stopped a call.
const maxAlso = 16

// Also are the rules that would have stopped a call if the one that did, which
// made r, had not: each if those before it had not.
func (t *Tables) Also(f Facts, r Ruling) []string {
	more, _ := t.behind(f, r)
	return more
}

// Unasked is what becomes of a call about which r asks, where there is nobody to ask
// (spec-027: it goes on, logged): what would be redacted without the question still is,
// and where that cannot be done the call is denied. A call that destroys is denied: what it
// does cannot be undone. Sensitive is as for [Facts.Possible].
func (t *Tables) Unasked(f Facts, r Ruling, sensitive bool) mcpproxy.Decision {
	if r.Rule == RuleOperation+string(mcpproxy.Destructive) {
		return mcpproxy.Deny
	}
	if _, redacts := t.behind(f, r); redacts {
		return f.Possible(Ruling{Decision: mcpproxy.Redact}, sensitive).Decision
	}
	return mcpproxy.Warn
}

// behind are the rules that would have stopped or changed a call if the one that made
// r had not, and whether one of them redacts.
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

// flow is the answer of the flow table to the worst edge.
func (t *Tables) flow(f Facts, skip func(rule string) bool) Ruling {
	best := Ruling{Decision: mcpproxy.Allow}
	for _, e := range f.Edges {
		if e.Type != mcpproxy.InternalToExternal || e.Own {
			continue
		}
		r := t.outward(f, e)
		if len(e.Sensitive) > 0 && !skip(RuleSensitive) && !(personal(e.Sensitive) && f.entitled()) {
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

// secret is the answer to a secret that leaves its own audience, wherever the server stands
// that it goes to, and to personal data on its way out whose origin nobody saw: the agent
// may have read it where no proxy looks.
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
		asked := (s.Said && f.wished() || f.entitled()) && personal([]string{s.Category})
		if !s.Sensitive() || f.atHome(s) || f.known(s) || asked {
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

// destination names where a call goes: its server, or of an agent's own tool whom it addresses,
// as far as that is known.
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

// source names where data comes from: of a command's own movement the files that it names.
func source(e mcpproxy.Edge) string {
	if e.Match == "shell" {
		if files, _, ok := strings.Cut(e.Evidence, " → "); ok && files != "" {
			return files
		}
	}
	return e.From.Name()
}

// operation applies security.tool_policy. An unknown operation of a server's tool counts as a
// change. If the agent says that its call destroys, that is believed.
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

// override looks for the narrowest override first.
func (t *Tables) override(c *mcpproxy.Call) (mcpproxy.Decision, string, bool) {
	for _, key := range []string{c.Name(), c.Server} {
		if d, ok := t.ToolOverrides[key]; ok && key != "" {
			return d, key, true
		}
	}
	return "", "", false
}
