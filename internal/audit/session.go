package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Investigation is the answer of investigate_session.
type Investigation struct {
	Session   string                     `json:"session"`
	Live      bool                       `json:"live" jsonschema:"Whether the session goes on"`
	Records   int                        `json:"records" jsonschema:"Records of the session"`
	More      bool                       `json:"truncated,omitempty" jsonschema:"There were more records than are looked at; the counts are of the first"`
	First     time.Time                  `json:"first"`
	Last      time.Time                  `json:"last"`
	Statuses  map[mcpproxy.Status]int    `json:"by_status"`
	Risks     map[mcpproxy.RiskLevel]int `json:"by_risk_level"`
	Stopped   []Counted                  `json:"stopped_by" jsonschema:"Rules that stopped calls, the most frequent first"`
	Tools     []Counted                  `json:"tools" jsonschema:"Tools that were called, the most frequent first"`
	Sensitive []Counted                  `json:"sensitive" jsonschema:"Types of sensitive data that were seen"`
	Flows     []Flow                     `json:"flows" jsonschema:"Data that moved, the last movements"`
	Legs      *mcpproxy.Legs             `json:"legs,omitempty" jsonschema:"Of a live session: when it first read private data, read text that outsiders wrote, and sent something out"`
	Timeline  []Entry                    `json:"timeline" jsonschema:"The session's records, oldest first"`
	Next      string                     `json:"next_cursor,omitempty" jsonschema:"The cursor to go on in the timeline with; absent at the end"`
}

// maxFlows is the number of movements shown for a session.
const maxFlows = 20

func investigateIn() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		Required:             []string{"session"},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Properties: map[string]*jsonschema.Schema{
			"session": {Type: "string", Description: "session_id or flow_session_id of a record"},
			"cursor":  {Type: "string", Description: "next_cursor of the answer before, to go on in the timeline"}},
	}
}

func (b *Toolset) investigate(ctx context.Context, arguments json.RawMessage) (any, error) {
	var in struct {
		Session string `json:"session"`
		Cursor  string `json:"cursor"`
	}
	if err := read(arguments, &in); err != nil {
		return nil, err
	}
	from := 0
	if in.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(in.Cursor); err != nil || from < 0 {
			return nil, errors.New("invalid cursor: use the one of the previous answer")
		}
	}
	if in.Session == "" {
		return nil, errors.New("session must name a session: search_activity returns its flow_session_id")
	}
	out := Investigation{
		Session:  cut(in.Session),
		Statuses: map[mcpproxy.Status]int{},
		Risks:    map[mcpproxy.RiskLevel]int{},
		Flows:    []Flow{},
	}
	if key, g, ok := b.Session(in.Session); ok {
		in.Session = key
		out.Session = cut(key)
		out.Live = true
		out.Legs = &g.Summary.Legs
	}
	var stopped, tools, sensitive nameCounts
	p, full := page{entries: []Entry{}, left: MaxAnswer / 3}, false
	err := b.Store.Scan(ctx, ledger.Filter{
		Session:     in.Session,
		OldestFirst: true,
		Limit:       maxScanned,
		Brief:       true,
	}, func(r *mcpproxy.Record) error {
		if out.Records++; out.Records == 1 {
			out.First = r.Timestamp
		}
		out.Last = r.Timestamp
		out.Statuses[r.Status]++
		count(out.Risks, r.RiskLevel)
		stopped.stop(r)
		tools.at(name(r), r.ID)
		for _, s := range entryOf(r).Sensitive {
			sensitive.at(s, r.ID)
		}
		for _, e := range r.Metadata.Edges {
			out.Flows = append(out.Flows, flowOf(e))
		}
		out.Flows = out.Flows[max(0, len(out.Flows)-maxFlows):]
		if out.Records > from && !full {
			if full = !p.add(r); full {
				out.Next = strconv.Itoa(out.Records - 1)
			}
		}
		return nil
	})
	if err != nil {
		return nil, broken(err)
	}
	if out.Records == 0 && !out.Live {
		return nil, fmt.Errorf("unknown session %q", cut(in.Session))
	}
	out.More = out.Records == maxScanned
	out.Stopped = stopped.top(10)
	out.Tools = tools.top(10)
	out.Sensitive = sensitive.top(10)
	out.Timeline = p.entries
	for raw, err := marshal(out); err == nil && len(raw) > MaxAnswer && len(out.Flows) > 0; raw, err = marshal(out) {
		out.Flows = out.Flows[1:]
	}
	return out, nil
}
