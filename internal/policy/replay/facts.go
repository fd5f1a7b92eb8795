package replay

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/text"
)

// fixed are the rules that do not depend on the policy.
var fixed = []string{
	policy.RuleQuarantine,
	policy.RuleScope,
	policy.RuleSelf,
	policy.RuleSpeaker,
	policy.RuleUnreadable,
}

// unseen reports whether signs of exfiltration that the record does not contain decided about a call
// (security.alerts.exfiltration_detection was off).
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

// Facts returns what the gate knew about a recorded call. ok is false if no policy decided about the record, or if
// the log contains too little.
func Facts(r *mcpproxy.Record) (f policy.Facts, ok bool) {
	ruled := r.Metadata.Ruled
	if ruled == nil || r.Metadata.Classification == nil || slices.Contains(fixed, ruled.Rule) || unseen(r) {
		return f, false
	}
	f = policy.Facts{
		Aimed: true, // records do not say otherwise
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

// suspicious is the kind of the signal that the ruling itself creates.
const suspicious = "suspicious_endpoint"

// ofResult reports whether a signal is about the result, which was not known when the call was decided.
func ofResult(s mcpproxy.Signal) bool {
	return s.Path == "response" || strings.HasPrefix(s.Path, "response.") || strings.HasPrefix(s.Path, "response[")
}

// texts returns the texts of a call in which endpoints are searched. The endpoint that stopped a call may not be in
// its arguments.
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

// endpoint returns the suspicious endpoint for which a call was stopped, or "". Old records only name it at the end
// of their reason.
func endpoint(r *mcpproxy.Record) string {
	if r.Metadata.Endpoint != "" || r.Metadata.Ruled.Rule != policy.RuleSuspicious {
		return r.Metadata.Endpoint
	}
	if i := strings.LastIndexByte(r.Metadata.Reason, '('); i >= 0 {
		return strings.TrimRight(r.Metadata.Reason[i+1:], ").")
	}
	return ""
}

// Policy is a policy that is applied to recorded calls.
type Policy struct {
	Tables policy.Tables
	Kill   bool // security.kill_switch
	// Arguments says that a rule reads the arguments of calls.
	Arguments bool
}

// Ask returns the ruling of the policy about recorded facts.
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

// redactable reports whether something in a call would be redacted: sensitive data in it, or secrets of earlier
// results that it contains as a whole.
func redactable(f policy.Facts) bool {
	whole := func(e mcpproxy.Edge) bool { return len(e.Sensitive) > 0 && e.Match == "secret" }
	return slices.ContainsFunc(f.Signals, found) || slices.ContainsFunc(f.Edges, whole)
}
