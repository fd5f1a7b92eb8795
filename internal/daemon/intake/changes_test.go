package intake

import (
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/trust"
)

// A changed program leads to a record of its severity and of whether anything is held. It also leads to an alert,
// unless a person or the configuration made the change.
func TestAChangedProgramIsRecordedAndReported(t *testing.T) {
	code := trust.Key{Server: "shop", Kind: trust.ProgramKind}
	for name, c := range map[string]struct {
		change   trust.Change
		decision mcpproxy.Decision
		level    mcpproxy.RiskLevel
		alert    bool
	}{
		"a new version":                            {trust.Change{From: trust.Approved, To: trust.RugPull}, mcpproxy.Warn, mcpproxy.RiskHigh, true},
		"a pinned version":                         {trust.Change{From: trust.Approved, To: trust.RugPull, Severe: true}, mcpproxy.Warn, mcpproxy.RiskCritical, true},
		"one that is held":                         {trust.Change{From: trust.Approved, To: trust.RugPull, Held: true}, mcpproxy.Deny, mcpproxy.RiskHigh, true},
		"one that cannot be read":                  {trust.Change{From: trust.Approved, To: trust.Unknown, Before: "1"}, mcpproxy.Warn, mcpproxy.RiskHigh, true},
		"one that a human accepts":                 {trust.Change{From: trust.Unknown, To: trust.Unknown, Before: "1"}, "", "", false},
		"a program that needs a person's approval": {trust.Change{From: trust.RugPull, To: trust.Approved}, "", "", false},
		"one of a new configuration":               {trust.Change{From: trust.Approved, To: trust.Unknown}, "", "", false},
	} {
		var records []*mcpproxy.Record
		var events []string
		l := changeLog{Deps{
			Mask: func(s string) string { return s },
			NewRecord: func(kind mcpproxy.RecordType, server string, detail map[string]any) *mcpproxy.Record {
				return &mcpproxy.Record{
					Type:       kind,
					ServerName: server,
					Status:     mcpproxy.StatusSuccess,
					Metadata:   mcpproxy.Metadata{Detail: detail},
				}
			},
			Add:  func(r *mcpproxy.Record) { records = append(records, r) },
			Tell: func(event string, _ *mcpproxy.Record) { events = append(events, event) },
		}}
		c.change.Key, c.change.Reason = code, "because"
		c.change.Time = time.Now()
		l.changed([]trust.Change{c.change})
		if len(records) != 1 || records[0].Decision != c.decision || records[0].RiskLevel != c.level ||
			(records[0].Status == mcpproxy.StatusBlocked) != c.change.Held || records[0].Metadata.Reason != "because" {
			t.Errorf("%s: %+v", name, records)
		}
		if alert := len(events) == 2 && events[0] == EventIntegrity; alert != c.alert {
			t.Errorf("%s: %q", name, events)
		}
	}
}
