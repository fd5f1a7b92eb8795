package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Suggestion is a change that the log speaks for.
type Suggestion struct {
	Kind     string          `json:"kind"` // approved, unused_rule or always_denied
	Text     string          `json:"text"`
	Server   string          `json:"server,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Rule     string          `json:"rule,omitempty"`
	Asked    int             `json:"asked,omitempty"`
	Approved int             `json:"approved,omitempty"`
	Denied   int             `json:"denied,omitempty"`
	Config   json.RawMessage `json:"config,omitempty"` // to be merged into the configuration
}

// The kinds of suggestions.
const (
	KindApproved     = "approved"
	KindUnusedRule   = "unused_rule"
	KindAlwaysDenied = "always_denied"
)

// Bounds of what is suggested and kept.
const (
	minAsks   = 5       // approvals without exception, before a rule is worth changing
	maxAsks   = 100_000 // asks whose answer is looked for
	maxGroups = 10_000  // tools and rules
)

// careful are the rules that no number of approvals speaks against: they are about
// secrets, about somebody talking the agent into something, and about lies.
var careful = []string{policy.RuleSensitive, policy.RuleTaint, policy.RuleOpaque, policy.RuleInjected, policy.RuleUntrusted, policy.RuleBudget,
	policy.RuleContradiction, policy.RuleBlock}

// group is what the log says of one rule and one tool.
type group struct{ rule, server, tool string }

type tally struct {
	asked, approved, refused int
	sensitive                bool
}

// reader gathers what Suggest needs of a log, in either order of time.
type reader struct {
	asks    map[string]group // by activity id, until their answer is met
	done    map[string]bool  // activities that were followed by their result
	tallies map[group]*tally
	tools   map[[2]string]*[2]int // calls and denials by server and tool
	hit     map[string]bool       // rules

	requests map[string]string // activity ids by the request that asked about them
	answers  map[string]bool   // whether a request was approved
}

// Suggest reads the log and says which changes it speaks for. Rules are the names
// of the user's own, of which those that never decided are named.
func Suggest(ctx context.Context, scan Scan, rules ...string) ([]Suggestion, error) {
	rd := &reader{asks: map[string]group{}, done: map[string]bool{}, tallies: map[group]*tally{},
		tools: map[[2]string]*[2]int{}, hit: map[string]bool{},
		requests: map[string]string{}, answers: map[string]bool{}}
	err := scan(func(r *mcpproxy.Record) error {
		rd.read(r)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	rd.settle()
	out := rd.approved()
	out = append(out, rd.denied()...)
	for _, name := range rules {
		if !rd.hit[policy.RuleUser+name] {
			out = append(out, Suggestion{Kind: KindUnusedRule, Rule: policy.RuleUser + name,
				Text: fmt.Sprintf("The rule %q decided no call of this time: is it still needed, and does it say what it should?", name)})
		}
	}
	return out, nil
}

// read takes one record in.
func (rd *reader) read(r *mcpproxy.Record) {
	if r.Type == mcpproxy.RecordApproval {
		rd.answered(r)
		return
	}
	if r.Type == mcpproxy.RecordHookEvaluation && r.ParentID != "" && len(rd.done) < maxAsks {
		rd.done[r.ParentID] = true // the agent went on and made the call
	}
	ruled := r.Metadata.Ruled
	if ruled == nil || !decided(r) {
		return
	}
	if ruled.Rule != "" {
		rd.hit[ruled.Rule] = true
	}
	rd.count(r)
	if ruled.Decision == mcpproxy.Ask {
		rd.ask(r)
	}
}

// ask takes an ask in. One whose answer there is no room to look for counts as
// refused.
func (rd *reader) ask(r *mcpproxy.Record) {
	key := group{r.Metadata.Ruled.Rule, r.ServerName, r.ToolName}
	t := rd.tallies[key]
	if t == nil {
		if len(rd.tallies) >= maxGroups {
			return
		}
		t = &tally{}
		rd.tallies[key] = t
	}
	moved := func(e mcpproxy.Edge) bool { return len(e.Sensitive) > 0 }
	t.sensitive = t.sensitive || slices.ContainsFunc(r.Metadata.Signals, found) || slices.ContainsFunc(r.Metadata.Edges, moved) || len(r.Metadata.Ruled.Also) > 0
	if len(rd.asks) >= maxAsks {
		t.asked++
		t.refused++
		return
	}
	rd.asks[r.ID] = key
}

// count counts calls of a tool. What was denied for its server's or its agent's sake,
// or while everything was, says nothing about the tool.
func (rd *reader) count(r *mcpproxy.Record) {
	if rule := r.Metadata.Ruled.Rule; rule == policy.RuleKill || slices.Contains(fixed, rule) {
		return
	}
	key := [2]string{r.ServerName, r.ToolName}
	if rd.tools[key] == nil {
		if len(rd.tools) >= maxGroups {
			return
		}
		rd.tools[key] = &[2]int{}
	}
	rd.tools[key][0]++
	if r.Decision == mcpproxy.Deny && r.Metadata.Ruled.Decision == mcpproxy.Deny {
		rd.tools[key][1]++
	}
}

// answered takes a record of an approval in: one says which call a request is
// about, and another how it was answered.
func (rd *reader) answered(r *mcpproxy.Record) {
	if len(rd.answers) >= maxAsks || len(rd.requests) >= maxAsks {
		return
	}
	if r.Decision == mcpproxy.Ask {
		rd.requests[r.ID] = r.ParentID
	} else {
		rd.answers[r.ParentID] = r.Decision == mcpproxy.Allow
	}
}

// settle gives every ask its answer. One that nobody answered counts against a
// suggestion: silence is no consent.
func (rd *reader) settle() {
	approved := map[string]bool{}
	for request, yes := range rd.answers {
		approved[rd.requests[request]] = yes
	}
	for id, key := range rd.asks {
		t := rd.tallies[key]
		t.asked++
		yes, answered := approved[id]
		switch {
		case answered && yes, !answered && rd.done[id]:
			t.approved++
		default:
			t.refused++
		}
	}
}

// approved are the rules whose asks were approved without exception.
func (rd *reader) approved() []Suggestion {
	var out []Suggestion
	for key, t := range rd.tallies {
		if t.asked < minAsks || t.refused > 0 || t.sensitive || slices.Contains(careful, key.rule) || !policy.Suppressible(key.rule) {
			continue
		}
		remedy := policy.RemedyFor(&mcpproxy.Record{Rule: key.rule, ServerName: key.server, ToolName: key.tool})
		out = append(out, Suggestion{Kind: KindApproved, Rule: key.rule, Server: key.server, Tool: key.tool, Asked: t.asked, Approved: t.approved,
			Config: json.RawMessage(remedy.JSON), Text: fmt.Sprintf("%s: %d asks by %s, all approved. It could be allowed.", mcpproxy.ToolName(key.server, key.tool), t.asked, key.rule)})
	}
	slices.SortFunc(out, func(a, b Suggestion) int { return cmp.Or(b.Asked-a.Asked, strings.Compare(a.Text, b.Text)) })
	return out
}

// denied are the tools that were never let through.
func (rd *reader) denied() []Suggestion {
	var out []Suggestion
	for key, n := range rd.tools {
		if n[1] < minAsks || n[1] < n[0] {
			continue
		}
		name := mcpproxy.ToolName(key[0], key[1])
		out = append(out, Suggestion{Kind: KindAlwaysDenied, Server: key[0], Tool: key[1], Denied: n[1],
			Text: fmt.Sprintf("%s: all %d calls were denied. Block the tool, so that agents do not see it and stop trying.", name, n[1])})
	}
	slices.SortFunc(out, func(a, b Suggestion) int { return cmp.Or(b.Denied-a.Denied, strings.Compare(a.Text, b.Text)) })
	return out
}
