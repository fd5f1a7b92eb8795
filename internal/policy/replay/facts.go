package replay

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/text"
)

// fixed are the rules that no policy changes.
var fixed = []string{
	policy.RuleQuarantine,
	policy.RuleScope,
	policy.RuleSelf,
	policy.RuleSpeaker,
	policy.RuleUnreadable,
}

// unseen reports whether a call was ruled by signs of exfiltration that its record
// does not keep (security.alerts.exfiltration_detection was off).
func unseen(r *mcpproxy.Record) bool {
	lacks := func(rule string, kinds ...string) bool {
		return (r.Metadata.Ruled.Rule == rule || slices.Contains(r.Metadata.Ruled.Also, rule)) &&
			!slices.ContainsFunc(
				r.Metadata.Signals,
				func(s mcpproxy.Signal) bool { return slices.Contains(kinds, s.Kind) },
			)
	}
	return lacks(policy.RuleOpaque, mcpproxy.KindOpaquePayload, mcpproxy.KindUnexplained) ||
		lacks(policy.RuleBudget, mcpproxy.KindExternalVolume, mcpproxy.KindManyDestinations)
}

// Facts are what the gate knew about a recorded call; ok is false for a record
// that no policy decided, or of which the log keeps too little.
func Facts(r *mcpproxy.Record) (f policy.Facts, ok bool) {
	ruled := r.Metadata.Ruled
	if ruled == nil || r.Metadata.Classification == nil || slices.Contains(fixed, ruled.Rule) || unseen(r) {
		return f, false
	}
	f = policy.Facts{
		Aimed: true, // no record says otherwise
		Facts: r.Metadata.Facts,
		Call: &mcpproxy.Call{
			ID:          r.ID,
			Channel:     mcpproxy.Channel(r.Source),
			Kind:        r.Metadata.Kind,
			Session:     r.SessionID,
			FlowSession: r.FlowSessionID,
			Principal:   r.Principal,
			RequestID:   r.RequestID,
			Server:      r.ServerName,
			Tool:        r.ToolName,
			Arguments:   r.Arguments,
			Received:    r.Timestamp,
		},
		Coverage: r.CoverageMode,
	}
	if r.Metadata.Intent != nil {
		f.Call.Intent = *r.Metadata.Intent
	}
	f.Signals = nil
	for _, s := range r.Metadata.Signals {
		if ofResult(s) || s.Kind == suspicious {
			continue
		}
		s.Suppressed = false
		f.Signals = append(f.Signals, s)
	}
	f.Strings = texts(r)
	return f, true
}

// suspicious is the kind of the signal that is made of the ruling itself.
const suspicious = "suspicious_endpoint"

// ofResult reports whether a signal is about what came back, which nobody had seen
// when the call was decided.
func ofResult(s mcpproxy.Signal) bool {
	return s.Path == "response" || strings.HasPrefix(s.Path, "response.") || strings.HasPrefix(s.Path, "response[")
}

// texts are the texts of a call in which endpoints are looked for. The endpoint that
// stopped a call may have stood beside its arguments.
func texts(r *mcpproxy.Record) []string {
	var out []string
	if doc, err := text.Parse(r.Arguments, "arguments"); err == nil {
		for _, v := range doc.Views() {
			if doc.Parts[v.Part].Kind != text.Number {
				out = append(out, v.Text)
			}
		}
	}
	if host := endpoint(r); host != "" {
		out = append(out, host)
	}
	return out
}

// endpoint is the suspicious endpoint that a call was stopped for; "" if there is none.
// Records of versions that did not keep it name it at the end of their reason.
func endpoint(r *mcpproxy.Record) string {
	if r.Metadata.Endpoint != "" || r.Metadata.Ruled.Rule != policy.RuleSuspicious {
		return r.Metadata.Endpoint
	}
	if i := strings.LastIndexByte(r.Metadata.Reason, '('); i >= 0 {
		return strings.TrimRight(r.Metadata.Reason[i+1:], ").")
	}
	return ""
}

// Policy is a policy as it is asked again.
type Policy struct {
	Tables policy.Tables
	Kill   bool // security.kill_switch
	// Arguments says that some rule looks at the arguments of calls.
	Arguments bool
}

// Ask is what the policy says about recorded facts.
func (p *Policy) Ask(f policy.Facts) policy.Ruling {
	if p.Kill {
		return policy.Killed
	}
	f.Signals = slices.Clone(f.Signals)
	p.Tables.Mark(f.Call, f.Signals)
	f.RiskScore = risk.Of(&f.Facts, f.Signals)
	f.RiskLevel, f.RiskWithout = risk.Worst(f.RiskScore, f.Edges), risk.Without(f.Signals)
	return f.Possible(p.Tables.Decide(f), redactable(f))
}

// found reports whether sensitive data was found in a call, suppressed or not.
func found(s mcpproxy.Signal) bool { s.Suppressed = false; return s.Sensitive() }

// redactable reports whether something of a call would be redacted: what was found in
// it, and secrets of earlier results that stand in it whole.
func redactable(f policy.Facts) bool {
	whole := func(e mcpproxy.Edge) bool { return len(e.Sensitive) > 0 && e.Match == "secret" }
	return slices.ContainsFunc(f.Signals, found) || slices.ContainsFunc(f.Edges, whole)
}
