package explain

import (
	"strings"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/trust"
)

// Explanation says why a call was decided as it was.
type Explanation struct {
	ID       string            `json:"activity_id"`
	Decision mcpproxy.Decision `json:"decision"`
	Rule     string            `json:"rule"`
	Reason   string            `json:"reason"`
	InWords  []string          `json:"in_words,omitempty" doc:"What was known about the call, one fact a sentence: what was asked for, where it goes, who can see it"`
	Record   *mcpproxy.Record  `json:"record"`
	Allow    string            `json:"allow_with,omitempty" doc:"Configuration that would have allowed the call, to be merged into the file"`
	Meaning  string            `json:"meaning" doc:"What that configuration means, or what helps in its place"`
	Command  string            `json:"run,omitempty" doc:"What a human can run to allow the call"`
	Apply    string            `json:"apply,omitempty" doc:"What a human can run to approve for always what was asked about"`
	Within   string            `json:"within,omitempty" doc:"What that approval would let through, in words"`
	Also     []string          `json:"also,omitempty" doc:"Other rules that would have stopped it"`
	Parts    []risk.Part       `json:"risk_parts" doc:"What the score is made of"`
	Band     string            `json:"risk_action" doc:"What the band of the score asks for"`
}

// Of explains a record.
func Of(r *mcpproxy.Record) Explanation {
	remedy := policy.RemedyFor(r)
	apply, within := applying(r)
	return Explanation{
		ID:       r.ID,
		Decision: r.Decision,
		Rule:     r.Rule,
		Reason:   r.Metadata.Reason,
		InWords:  r.Metadata.InWords(),
		Record:   r,
		Allow:    remedy.JSON,
		Meaning:  remedy.Meaning,
		Command:  Approving(r),
		Apply:    apply,
		Within:   within,
		Also:     Also(r),
		Parts:    Parts(r),
		Band:     mcpproxy.BandOf(r.RiskScore).Action,
	}
}

// Approving returns the command that approves the definition or the server's program whose quarantine stopped the
// call. It returns "" if the call was stopped for another reason, or if the record does not name what to approve.
func Approving(r *mcpproxy.Record) string {
	kinds := map[mcpproxy.Kind]trust.Kind{mcpproxy.KindTool: trust.Tool, mcpproxy.KindPrompt: trust.Prompt}
	kind := kinds[r.Metadata.Kind]
	if r.Rule != policy.RuleQuarantine || kind == "" {
		return ""
	}
	for _, key := range []trust.Key{
		{Server: r.ServerName, Kind: kind, Name: r.ToolName},
		{Server: r.ServerName, Kind: trust.ProgramKind},
	} {
		if run := trust.Command("approve", key, ""); strings.Contains(r.Metadata.Reason, run) {
			return run
		}
	}
	return "" // another action helps; the reason names it
}

// applying returns the command that gives a permanent approval, and a description of the calls that this approval
// allows. Both are empty if no rule asked about the call, or if an answer cannot be remembered.
func applying(r *mcpproxy.Record) (run, within string) {
	b := r.Metadata.Boundary
	if b == nil || b.Once != "" {
		return "", ""
	}
	return "mcpproxy explain " + r.ID + " --apply", b.Within()
}

// Also returns the other rules that would have stopped a call.
func Also(r *mcpproxy.Record) []string {
	if r.Metadata.Ruled == nil {
		return nil
	}
	return r.Metadata.Ruled.Also
}

// Parts returns the parts of a record's score. A record contains the signals of a call and of its result; the score is
// computed from one of the two.
func Parts(r *mcpproxy.Record) []risk.Part {
	var call, result []mcpproxy.Signal
	for _, s := range r.Metadata.Signals {
		if strings.HasPrefix(s.Path, "response") {
			result = append(result, s)
		} else {
			call = append(call, s)
		}
	}
	switch f := &r.Metadata.Facts; {
	case risk.Of(f, call) == r.RiskScore:
		return risk.PartsOf(f, call)
	case risk.Score(call) != r.RiskScore && risk.Score(result) == r.RiskScore:
		return risk.Parts(result)
	}
	return risk.Parts(call) // as earlier versions computed it
}
