package alert

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"mcpproxy"
)

// Alert is the JSON document that the webhook receives.
type Alert struct {
	Event      string             `json:"event"` // such as flow.alert
	ID         string             `json:"id"`    // unchanged when the alert is sent again
	Time       time.Time          `json:"time"`
	Text       string             `json:"text"`           // summary for people, on one line
	Count      int                `json:"count"`          // number of events that the alert stands for
	First      time.Time          `json:"first,omitzero"` // time of the first event, if Count is above 1
	ActivityID string             `json:"activity_id"`    // record of the last event, for "mcpproxy explain ID"
	Server     string             `json:"server,omitempty"`
	Tool       string             `json:"tool,omitempty"`
	Session    string             `json:"session,omitempty"` // identifies the flow session without revealing its id
	Principal  string             `json:"principal,omitempty"`
	Decision   mcpproxy.Decision  `json:"decision,omitempty"`
	Rule       string             `json:"rule,omitempty"`
	RiskLevel  mcpproxy.RiskLevel `json:"risk_level,omitempty"`
	RiskScore  int                `json:"risk_score"`
	Reason     string             `json:"reason,omitempty"`
	Flows      []Flow             `json:"flows,omitempty"`
	Sensitive  map[string]int     `json:"sensitive,omitempty"` // findings by category
	Change     map[string]string  `json:"change,omitempty"`    // change of a definition: kind, from, to, by
}

// Flow is a movement of data, without the data.
type Flow struct {
	From      string             `json:"from"`
	To        string             `json:"to"`
	Type      mcpproxy.FlowType  `json:"flow_type"`
	Risk      mcpproxy.RiskLevel `json:"risk_level"`
	Sensitive []string           `json:"sensitive,omitempty"`
}

// EventKill is the event of switching the kill switch on.
const EventKill = "security.kill_switch"

const (
	maxFlows = 10
	maxText  = 500 // maximum length of a reason, in bytes
)

// Wanted reports whether an event is worth an alert.
func Wanted(event string, r *mcpproxy.Record, pii bool) bool {
	switch event {
	case "flow.alert":
		return r.RiskLevel.Rank() >= mcpproxy.RiskHigh.Rank() || rapid(r) != nil
	case "activity.policy_decision":
		return r.Decision.Stops()
	case "sensitive_data.detected":
		return pii
	case "activity.quarantine_change": // releasing a tool from quarantine needs no alert
		return word(r.Metadata.Detail["to"]) != "approved"
	case "security.integrity_alert", EventKill:
		return true
	}
	return false
}

// Of returns the alert for an event. The record must already be masked.
func Of(event string, r *mcpproxy.Record) Alert {
	a := Alert{
		Event:      event,
		Time:       r.Timestamp,
		Count:      1,
		ActivityID: r.ID,
		Server:     r.ServerName,
		Tool:       cut(r.ToolName, 200),
		Session:    mcpproxy.SessionDigest(r.FlowSessionID),
		Principal:  r.Principal,
		Decision:   r.Decision,
		Rule:       r.Rule,
		RiskLevel:  r.RiskLevel,
		RiskScore:  r.RiskScore,
		Reason:     cut(r.Metadata.Reason, maxText),
	}
	if s := rapid(r); s != nil && a.Reason == "" { // an allowed call has no other reason
		a.Reason = cut(s.Evidence, maxText)
	}
	for _, e := range r.Metadata.Edges[:min(len(r.Metadata.Edges), maxFlows)] {
		a.Flows = append(a.Flows, Flow{cut(e.From.Name(), 200), cut(e.To, 200), e.Type, e.Risk, e.Sensitive})
	}
	if s := r.Metadata.Sensitive; s != nil {
		for _, d := range s.Detections {
			if d.IsLikelyExample {
				continue
			}
			if a.Sensitive == nil {
				a.Sensitive = map[string]int{}
			}
			a.Sensitive[d.Category]++
		}
	}
	if r.Type == mcpproxy.RecordQuarantine {
		a.Change = map[string]string{}
		for _, name := range []string{"kind", "from", "to", "by"} {
			if s := word(r.Metadata.Detail[name]); s != "" {
				a.Change[name] = s
			}
		}
	}
	if on, ok := r.Metadata.Detail["kill_switch"].(bool); ok && event == EventKill {
		to := "off"
		if on {
			to = "on"
		}
		a.Change = map[string]string{
			"kind": "the kill switch",
			"to":   to,
			"by":   word(r.Metadata.Detail["by"]),
		}
	}
	a.Text = a.line()
	return a
}

// rapid returns the signal that the session sends too often, or nil if the call has no such signal.
func rapid(r *mcpproxy.Record) *mcpproxy.Signal {
	if i := slices.IndexFunc(r.Metadata.Signals, mcpproxy.Signal.Rapid); i >= 0 {
		return &r.Metadata.Signals[i]
	}
	return nil
}

// key returns the grouping key: events with the same key are one alert.
func (a *Alert) key() string {
	return strings.Join([]string{a.Rule, a.Server, a.Tool, a.Session, a.Change["to"], string(a.RiskLevel)}, "\x00")
}

// line returns the one-line summary for people. Names that servers choose cannot break the line.
func (a *Alert) line() string {
	var b strings.Builder
	b.WriteString("mcpproxy: ")
	switch {
	case a.Change["to"] != "":
		b.WriteString(a.Change["kind"] + " is now " + a.Change["to"])
	case a.Decision != "":
		b.WriteString(string(a.Decision))
	default:
		b.WriteString(a.Event)
	}
	if name := strings.Trim(a.Server+":"+a.Tool, ":"); name != "" {
		b.WriteString(" " + name)
	}
	if a.RiskLevel != "" && a.RiskLevel != mcpproxy.RiskNone {
		b.WriteString(" (" + string(a.RiskLevel) + " risk)")
	}
	if a.Event == "sensitive_data.detected" {
		b.WriteString(": sensitive data was seen (" + strings.Join(slices.Sorted(maps.Keys(a.Sensitive)), ", ") + ")")
	} else if a.Reason != "" {
		b.WriteString(": " + a.Reason)
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, b.String())
}

// word returns a value of a record's details as text, or "" if the value is not text.
func word(v any) string {
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.String {
		return cut(rv.String(), 100)
	}
	return ""
}

// cut shortens a text to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
