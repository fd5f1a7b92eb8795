package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Report is the answer of security_report.
type Report struct {
	From        time.Time                   `json:"from"`
	To          time.Time                   `json:"to"`
	Records     int                         `json:"records" jsonschema:"Records of the span, without an auditor's own"`
	More        bool                        `json:"truncated,omitempty" jsonschema:"There were more records than are looked at: the counts are of the newest"`
	Types       map[mcpproxy.RecordType]int `json:"by_type"`
	Statuses    map[mcpproxy.Status]int     `json:"by_status"`
	Decisions   map[mcpproxy.Decision]int   `json:"by_decision"`
	Risks       map[mcpproxy.RiskLevel]int  `json:"by_risk_level"`
	FlowTypes   map[mcpproxy.FlowType]int   `json:"by_flow_type"`
	Stopped     []Counted                   `json:"stopped_by" jsonschema:"Rules that stopped calls, the most frequent first"`
	Tools       []Counted                   `json:"tools" jsonschema:"Tools that were called most"`
	Principals  []Counted                   `json:"principals" jsonschema:"Who called most"`
	Sensitive   []Counted                   `json:"sensitive" jsonschema:"Types of sensitive data that were seen most"`
	HighestRisk []Entry                     `json:"gravest" jsonschema:"The records with the highest risk, the highest first"`
	Now         Now                         `json:"now" jsonschema:"The state at the time of the question"`
}

// Counted is a name, how often it occurred, and one example record.
type Counted struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	ID    string `json:"activity_id" jsonschema:"Of one such record"`
}

const (
	maxScanned = 100_000 // records read for one answer
	maxNames   = 10_000  // different names counted for one answer
	maxHighest = 10
)

// Default and maximum of the period that a report covers.
const (
	span    = 24 * time.Hour
	maxSpan = 366 * 24 * time.Hour
)

func sinceIn() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Properties: map[string]*jsonschema.Schema{
			"since": {
				Type:        "string",
				Description: "How far to look back: 24h, 7d, or an RFC 3339 time; 24h when absent",
			},
		},
	}
}

// sinceOf returns the start of the period that a question asks about.
func sinceOf(arguments json.RawMessage) (time.Time, error) {
	var in struct {
		Since string `json:"since"`
	}
	if err := read(arguments, &in); err != nil {
		return time.Time{}, err
	}
	now := time.Now().UTC()
	if in.Since == "" {
		return now.Add(-span), nil
	}
	if t, err := time.Parse(time.RFC3339, in.Since); err == nil {
		if t.Before(now.Add(-maxSpan)) {
			t = now.Add(-maxSpan)
		}
		return t.UTC(), nil
	}
	unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[in.Since[len(in.Since)-1]]
	n, err := strconv.Atoi(in.Since[:len(in.Since)-1])
	if err != nil || unit == 0 || n <= 0 || n > int(maxSpan/unit) {
		return time.Time{}, fmt.Errorf(
			"since: %q is neither a time such as 24h or 7d, of a year at most, nor an RFC 3339 time",
			cut(in.Since),
		)
	}
	return now.Add(-time.Duration(n) * unit), nil
}

func (b *Toolset) report(ctx context.Context, arguments json.RawMessage) (any, error) {
	since, err := sinceOf(arguments)
	if err != nil {
		return nil, err
	}
	out := Report{
		From:        since,
		To:          time.Now().UTC(),
		Types:       map[mcpproxy.RecordType]int{},
		Statuses:    map[mcpproxy.Status]int{},
		Decisions:   map[mcpproxy.Decision]int{},
		Risks:       map[mcpproxy.RiskLevel]int{},
		FlowTypes:   map[mcpproxy.FlowType]int{},
		HighestRisk: []Entry{},
		Now:         b.Now(),
	}
	var stopped, tools, principals, sensitive nameCounts
	var highest []*mcpproxy.Record
	seen := 0
	err = b.Store.Scan(
		ctx,
		ledger.Filter{Start: since, Limit: maxScanned, Brief: true},
		func(r *mcpproxy.Record) error {
			seen++
			if own(r) {
				return nil
			}
			out.Records++
			out.Types[r.Type]++
			out.Statuses[r.Status]++
			count(out.Decisions, r.Decision)
			count(out.Risks, r.RiskLevel)
			count(out.FlowTypes, r.FlowType)
			stopped.stop(r)
			tools.at(name(r), r.ID)
			principals.at(short(r.Principal), r.ID)
			for _, s := range entryOf(r).Sensitive {
				sensitive.at(s, r.ID)
			}
			if r.RiskLevel.Rank() >= mcpproxy.RiskMedium.Rank() {
				highest = keepHighest(highest, r)
			}
			return nil
		},
	)
	if err != nil {
		return nil, broken(err)
	}
	out.More = seen == maxScanned
	out.Stopped = stopped.top(10)
	out.Tools = tools.top(10)
	out.Principals = principals.top(10)
	out.Sensitive = sensitive.top(10)
	raw, err := marshal(out)
	if err != nil {
		return nil, broken(err)
	}
	p := page{entries: out.HighestRisk, left: MaxAnswer - len(raw)}
	for _, r := range highest {
		p.add(r)
	}
	out.HighestRisk = p.entries
	return out, nil
}

// count adds a record to the counts.
func count[K ~string](m map[K]int, key K) {
	if key != "" {
		m[key]++
	}
}

// keepHighest keeps a record if it is among those with the highest risk.
func keepHighest(all []*mcpproxy.Record, r *mcpproxy.Record) []*mcpproxy.Record {
	all = append(all, r)
	slices.SortStableFunc(all, func(a, b *mcpproxy.Record) int {
		return cmp.Or(b.RiskLevel.Rank()-a.RiskLevel.Rank(), b.RiskScore-a.RiskScore)
	})
	return all[:min(len(all), maxHighest)]
}

// nameCounts counts how often each name occurs.
type nameCounts struct{ of map[string]*Counted }

// at counts a name and keeps the id of its first record.
func (t *nameCounts) at(name, id string) {
	if name == "" {
		return
	}
	if t.of == nil {
		t.of = map[string]*Counted{}
	}
	c := t.of[name]
	if c == nil {
		if len(t.of) == maxNames {
			return
		}
		c = &Counted{Name: name, ID: id}
		t.of[name] = c
	}
	c.Count++
}

// stop counts the rule that stopped a call.
func (t *nameCounts) stop(r *mcpproxy.Record) {
	if r.Decision.Stops() {
		t.at(short(r.Rule), r.ID)
	}
}

// top returns the most frequent names.
func (t *nameCounts) top(n int) []Counted {
	out := []Counted{}
	for _, c := range t.of {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Counted) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	return out[:min(len(out), n)]
}

// name returns the tool in the form server:tool, or "" if the record is not about a call.
func name(r *mcpproxy.Record) string {
	switch {
	case r.ToolName == "":
		return ""
	case r.ServerName == "":
		return short(r.ToolName)
	}
	return short(r.ServerName + ":" + r.ToolName)
}
