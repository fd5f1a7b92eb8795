package audit

import (
	"strings"
	"time"
	"unicode"

	"mcpproxy"
)

// Entry is a record as an auditor sees it: without the arguments, the result and the hashes of the
// chain.
type Entry struct {
	ID             string              `json:"id" jsonschema:"Activity id"`
	Time           time.Time           `json:"timestamp"`
	Type           mcpproxy.RecordType `json:"type"`
	Source         string              `json:"source" jsonschema:"mcp, hook, code, api, cli or system"`
	Session        string              `json:"flow_session_id,omitempty"`
	Principal      string              `json:"principal,omitempty" jsonschema:"Who called: local, or a token's name"`
	Server         string              `json:"server_name,omitempty"`
	Tool           string              `json:"tool_name,omitempty"`
	Status         mcpproxy.Status     `json:"status"`
	Decision       mcpproxy.Decision   `json:"decision,omitempty"`
	Rule           string              `json:"rule,omitempty" jsonschema:"The configuration key that decided"`
	Reason         string              `json:"reason,omitempty"`
	RiskScore      int                 `json:"risk_score"`
	RiskLevel      mcpproxy.RiskLevel  `json:"risk_level,omitempty"`
	FlowType       mcpproxy.FlowType   `json:"flow_type,omitempty"`
	Operation      mcpproxy.Operation  `json:"operation,omitempty"`
	Classification mcpproxy.Side       `json:"classification,omitempty" jsonschema:"Where the tool stands: internal, external, hybrid or unknown"`
	Signals        []string            `json:"signals,omitempty" jsonschema:"Kinds of what was observed"`
	Sensitive      []string            `json:"sensitive,omitempty" jsonschema:"Types of sensitive data that were seen"`
	Flows          []Flow              `json:"flows,omitempty" jsonschema:"Data that moved, the first few"`
}

// Flow is data that moved from one tool to another.
type Flow struct {
	From      string             `json:"from"`
	FromCall  string             `json:"from_call" jsonschema:"Activity id of the call that the data came from"`
	To        string             `json:"to"`
	Type      mcpproxy.FlowType  `json:"flow_type"`
	Risk      mcpproxy.RiskLevel `json:"risk_level"`
	Sensitive []string           `json:"sensitive,omitempty"`
}

const (
	maxText  = 300 // characters in a text
	maxName  = 80  // characters in a name
	maxList  = 6   // elements of a list in an entry
	maxMoved = 3   // flows in an entry
)

// entryOf returns a record as an auditor sees it.
func entryOf(r *mcpproxy.Record) Entry {
	e := Entry{
		ID:        r.ID,
		Time:      r.Timestamp,
		Type:      r.Type,
		Source:    r.Source,
		Session:   short(r.FlowSessionID),
		Principal: short(r.Principal),
		Server:    short(r.ServerName),
		Tool:      short(r.ToolName),
		Status:    r.Status,
		Decision:  r.Decision,
		Rule:      short(r.Rule),
		Reason:    cut(r.Metadata.Reason),
		RiskScore: r.RiskScore,
		RiskLevel: r.RiskLevel,
		FlowType:  r.FlowType,
		Operation: r.Metadata.Operation,
	}
	if e.Reason == "" {
		e.Reason = cut(r.ErrorMessage)
	}
	if c := r.Metadata.Classification; c != nil {
		e.Classification = c.Side
		if c.Unknown {
			e.Classification = mcpproxy.Unknown
		}
	}
	for _, s := range r.Metadata.Signals {
		e.Signals = with(e.Signals, s.Kind)
	}
	if s := r.Metadata.Sensitive; s != nil {
		for _, d := range s.Detections {
			e.Sensitive = with(e.Sensitive, d.Type)
		}
	}
	for _, edge := range r.Metadata.Edges {
		if len(e.Flows) < maxMoved {
			e.Flows = append(e.Flows, flowOf(edge))
		}
	}
	return e
}

func flowOf(e mcpproxy.Edge) Flow {
	f := Flow{
		From:     short(e.From.Name()),
		FromCall: e.From.CallID,
		To:       short(e.To),
		Type:     e.Type,
		Risk:     e.Risk,
	}
	for _, s := range e.Sensitive {
		if f.Sensitive = with(f.Sensitive, s); len(f.Sensitive) == maxMoved {
			break
		}
	}
	return f
}

// with adds a word to a list without duplicates, up to the list's limit.
func with(list []string, word string) []string {
	word = short(word)
	for _, have := range list {
		if have == word {
			return list
		}
	}
	if len(list) == maxList {
		return list
	}
	return append(list, word)
}

// cut shortens a text, and short shortens a name. Both make invisible characters visible, because a
// model reads the result.
func cut(s string) string   { return within(s, maxText) }
func short(s string) string { return within(s, maxName) }

func within(s string, most int) string {
	n := 0
	out := strings.Map(func(r rune) rune {
		if n++; n > most {
			return -1
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return '·'
		}
		return r
	}, strings.ToValidUTF8(s[:min(len(s), 4*most)], "·"))
	if n > most || len(s) > 4*most {
		out += "…"
	}
	return out
}

// page is a list that is limited to a number of bytes.
type page struct {
	entries []Entry
	left    int
}

// add appends an entry if it fits. The first entry is always added, without its details if
// necessary: an empty page would end the listing.
func (p *page) add(r *mcpproxy.Record) bool {
	e := entryOf(r)
	raw, err := marshal(e)
	if err == nil && len(raw)+1 > p.left && len(p.entries) == 0 {
		e.Reason = short(e.Reason)
		e.Signals = nil
		e.Sensitive = nil
		e.Flows = nil
		raw, err = marshal(e)
	}
	if err != nil || len(raw)+1 > p.left {
		return false
	}
	p.left -= len(raw) + 1
	p.entries = append(p.entries, e)
	return true
}
