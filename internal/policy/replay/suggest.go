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

// Suggestion is a change that the log justifies.
type Suggestion struct {
	Kind     string          `json:"kind"` // approved, unused_rule or hosts
	Text     string          `json:"text"`
	Server   string          `json:"server,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Rule     string          `json:"rule,omitempty"`
	Asked    int             `json:"asked,omitempty"`
	Approved int             `json:"approved,omitempty"`
	Run      string          `json:"run,omitempty" doc:"What a person can run to allow exactly what was always approved"`
	Config   json.RawMessage `json:"config,omitempty"` // to merge into the configuration
}

// The kinds of suggestions.
const (
	KindApproved   = "approved"
	KindUnusedRule = "unused_rule"
	KindHosts      = "hosts"
)

// The limits of what is suggested and stored.
const (
	minAsks   = 5       // approvals without exception before a change is suggested
	maxAsks   = 100_000 // asks whose answer is searched
	maxGroups = 10_000  // tools and rules
)

// careful are the rules for which no number of approvals justifies a change: rules about secrets, about injected
// instructions, and about contradicting claims.
var careful = []string{
	policy.RuleSensitive,
	policy.RuleTaint,
	policy.RuleOpaque,
	policy.RuleInjected,
	policy.RuleDictated,
	policy.RuleUnrequested,
	policy.RuleUntrusted,
	policy.RuleBudget,
	policy.RuleContradiction,
	policy.RuleBlock,
}

// group is the summary of the log for one rule and one tool.
type group struct {
	rule, server, tool string
	boundary           string // the boundary's key; "" in records without one
}

type tally struct {
	asked, approved, refused int
	sensitive                bool
	activity                 string             // one of the calls, whose boundary covers all of them
	within                   *mcpproxy.Boundary // nil in records without a boundary
}

// reader collects the data for Suggest from a log, in either order of time.
type reader struct {
	asks    map[string]group // by activity id, until their answer is found
	done    map[string]bool  // activities whose result was recorded
	tallies map[group]*tally
	hit     map[string]bool // rules that decided

	requests map[string]string // activity ids by the approval request about them
	answers  map[string]bool   // whether a request was approved

	hosts map[string]map[string]bool // hosts to which each server connected while it was observed
}

// Suggest reads the log and returns the changes that it justifies. rules are the names of the user's own rules; those
// that never decided are reported.
func Suggest(ctx context.Context, scan Scan, rules ...string) ([]Suggestion, error) {
	rd := &reader{
		asks:     map[string]group{},
		done:     map[string]bool{},
		tallies:  map[group]*tally{},
		hit:      map[string]bool{},
		requests: map[string]string{},
		answers:  map[string]bool{},
		hosts:    map[string]map[string]bool{},
	}
	err := scan(func(r *mcpproxy.Record) error {
		rd.read(r)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	rd.settle()
	out := append(rd.approved(), rd.lists()...)
	for _, name := range rules {
		if !rd.hit[policy.RuleUser+name] {
			out = append(out, Suggestion{
				Kind: KindUnusedRule,
				Rule: policy.RuleUser + name,
				Text: fmt.Sprintf(
					"The rule %q decided no call in this period: is it still needed, and is its condition right?",
					name,
				),
			})
		}
	}
	return out, nil
}

// read processes one record.
func (rd *reader) read(r *mcpproxy.Record) {
	if r.Type == mcpproxy.RecordApproval {
		rd.answered(r)
		return
	}
	if r.Type == mcpproxy.RecordServerChange {
		rd.reached(r)
		return
	}
	if r.Type == mcpproxy.RecordHookEvaluation && r.ParentID != "" && len(rd.done) < maxAsks {
		rd.done[r.ParentID] = true // the agent made the call
	}
	ruled := r.Metadata.Ruled
	if ruled == nil || !decided(r) {
		return
	}
	if ruled.Rule != "" {
		rd.hit[ruled.Rule] = true
	}
	// A remembered answer is not a new decision of a person.
	if ruled.Decision == mcpproxy.Ask && r.Metadata.Remembered == "" {
		rd.ask(r)
	}
}

// ask processes a record that asks. If there is no room to search for its answer, it counts as refused.
func (rd *reader) ask(r *mcpproxy.Record) {
	key := group{rule: r.Metadata.Ruled.Rule, server: r.ServerName, tool: r.ToolName}
	within := r.Metadata.Boundary
	if within != nil {
		key.boundary = within.Key()
	}
	t := rd.tallies[key]
	if t == nil {
		if len(rd.tallies) >= maxGroups {
			return
		}
		t = &tally{activity: r.ID, within: within}
		rd.tallies[key] = t
	}
	moved := func(e mcpproxy.Edge) bool { return len(e.Sensitive) > 0 }
	t.sensitive = t.sensitive || slices.ContainsFunc(r.Metadata.Signals, found) ||
		slices.ContainsFunc(r.Metadata.Edges, moved) ||
		within == nil && len(r.Metadata.Ruled.Also) > 0 || within != nil && within.Once != ""
	if len(rd.asks) >= maxAsks {
		t.asked++
		t.refused++
		return
	}
	rd.asks[r.ID] = key
}

// answered processes a record about an approval: one says which call a request is about, another how it was answered.
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

// settle assigns the answers to the asks. An ask without an answer counts as a refusal.
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

// approved returns the rules whose asks were approved without exception.
func (rd *reader) approved() []Suggestion {
	var out []Suggestion
	for key, t := range rd.tallies {
		if t.asked < minAsks || t.refused > 0 || t.sensitive || slices.Contains(careful, key.rule) ||
			!policy.Suppressible(key.rule) {
			continue
		}
		s := Suggestion{
			Kind:     KindApproved,
			Rule:     key.rule,
			Server:   key.server,
			Tool:     key.tool,
			Asked:    t.asked,
			Approved: t.approved,
		}
		name := mcpproxy.ToolName(key.server, key.tool)
		if b := t.within; b != nil {
			s.Run = "mcpproxy explain " + t.activity + " --apply"
			s.Text = fmt.Sprintf("%s: %d asks by %s, all approved. It could be allowed permanently: %s.",
				name, t.asked, key.rule, b.Within())
			out = append(out, s)
			continue
		}
		remedy := policy.RemedyFor(&mcpproxy.Record{Rule: key.rule, ServerName: key.server, ToolName: key.tool})
		if remedy.JSON == "" { // a shell has no remedy as a whole
			continue
		}
		s.Config = json.RawMessage(remedy.JSON)
		s.Text = fmt.Sprintf("%s: %d asks by %s, all approved. It could be allowed.", name, t.asked, key.rule)
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Suggestion) int { return cmp.Or(b.Asked-a.Asked, strings.Compare(a.Text, b.Text)) })
	return out
}
