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
	Kind     string          `json:"kind"` // approved, unused_rule or hosts
	Text     string          `json:"text"`
	Server   string          `json:"server,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Rule     string          `json:"rule,omitempty"`
	Asked    int             `json:"asked,omitempty"`
	Approved int             `json:"approved,omitempty"`
	Run      string          `json:"run,omitempty" doc:"What a person can run to allow exactly what was always approved"`
	Config   json.RawMessage `json:"config,omitempty"` // to be merged into the configuration
}

// The kinds of suggestions.
const (
	KindApproved   = "approved"
	KindUnusedRule = "unused_rule"
	KindHosts      = "hosts"
)

// Bounds of what is suggested and kept.
const (
	minAsks   = 5       // approvals without exception, before a rule is worth changing
	maxAsks   = 100_000 // asks whose answer is looked for
	maxGroups = 10_000  // tools and rules
)

// careful are the rules that no number of approvals speaks against: they are about
// secrets, about somebody talking the agent into something, and about lies.
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

// group is what the log says of one rule and one tool.
type group struct {
	rule, server, tool string
	boundary           string // its key; "" in records that keep none
}

type tally struct {
	asked, approved, refused int
	sensitive                bool
	activity                 string             // one of the calls, by whose boundary all can be allowed
	within                   *mcpproxy.Boundary // nil in records that keep none
}

// reader gathers what Suggest needs of a log, in either order of time.
type reader struct {
	asks    map[string]group // by activity id, until their answer is met
	done    map[string]bool  // activities that were followed by their result
	tallies map[group]*tally
	hit     map[string]bool // rules

	requests map[string]string // activity ids by the request that asked about them
	answers  map[string]bool   // whether a request was approved

	hosts map[string]map[string]bool // that each server reached while it was observed
}

// Suggest reads the log and says which changes it speaks for. Rules are the names
// of the user's own, of which those that never decided are named.
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
					"The rule %q decided no call of this time: is it still needed, and does it say what it should?",
					name,
				),
			})
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
	if r.Type == mcpproxy.RecordServerChange {
		rd.reached(r)
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
	// What an earlier answer decided is no new decision of a person.
	if ruled.Decision == mcpproxy.Ask && r.Metadata.Remembered == "" {
		rd.ask(r)
	}
}

// ask takes an ask in. One whose answer there is no room to look for counts as
// refused.
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
			s.Text = fmt.Sprintf("%s: %d asks by %s, all approved. It could be allowed for always: %s.",
				name, t.asked, key.rule, b.Within())
			out = append(out, s)
			continue
		}
		remedy := policy.RemedyFor(&mcpproxy.Record{Rule: key.rule, ServerName: key.server, ToolName: key.tool})
		if remedy.JSON == "" { // a shell as a whole
			continue
		}
		s.Config = json.RawMessage(remedy.JSON)
		s.Text = fmt.Sprintf("%s: %d asks by %s, all approved. It could be allowed.", name, t.asked, key.rule)
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Suggestion) int { return cmp.Or(b.Asked-a.Asked, strings.Compare(a.Text, b.Text)) })
	return out
}
