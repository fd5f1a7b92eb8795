package alert_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/alert"
)

const planted = "s3cr3t-Zq7R-value"

// No alert contains the content, the findings or the evidence of a record.
func TestNoAlertRepeatsWhatACallSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "before") + planted + rapid.String().Draw(t, "after")
		raw, err := json.Marshal(text)
		if err != nil {
			t.Skip()
		}
		event := rapid.SampledFrom([]string{"flow.alert", "activity.policy_decision", "sensitive_data.detected", "activity.quarantine_change", "security.integrity_alert"}).
			Draw(t, "event")
		kind := rapid.SampledFrom(mcpproxy.RecordTypes).Draw(t, "type")
		r := &mcpproxy.Record{
			ID:            "01J",
			Type:          kind,
			ServerName:    "chat",
			ToolName:      "post",
			Decision:      mcpproxy.Deny,
			Arguments:     raw,
			Response:      raw,
			ErrorMessage:  text,
			RequestID:     text,
			SessionID:     text,
			FlowSessionID: text,
			Metadata: mcpproxy.Metadata{
				Facts: mcpproxy.Facts{
					Signals: []mcpproxy.Signal{{
						Kind:     text,
						Category: text,
						Evidence: text,
						Path:     text,
					}},
					Edges: []mcpproxy.Edge{{
						To:       "chat",
						From:     mcpproxy.Origin{Server: "vault", CallID: text},
						Evidence: text,
						Path:     text,
						Match:    text,
						Decoded:  text,
					}},
				},
				Intent: &mcpproxy.Intent{Reason: text, Justification: text},
				Detail: map[string]any{
					"diff":  text,
					"names": []string{text},
					"kind":  "tool",
					"to":    "rug_pull",
				},
				Sensitive: &mcpproxy.SensitiveData{
					Detected:   true,
					Detections: []mcpproxy.Detection{{Type: text, Category: "api_token", Location: text}},
				},
			},
		}
		body, err := json.Marshal(alert.Of(event, r))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(body), planted) {
			t.Fatalf("the alert repeats it: %s", body)
		}
	})
}

// The summary for people is always one line, whatever names and reasons contain.
func TestTheTextIsOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String()
		a := alert.Of(
			"flow.alert",
			&mcpproxy.Record{
				ServerName: s.Draw(t, "server"),
				ToolName:   s.Draw(t, "tool"),
				Metadata:   mcpproxy.Metadata{Reason: s.Draw(t, "reason")},
			},
		)
		if strings.ContainsFunc(a.Text, func(r rune) bool { return !unicode.IsPrint(r) }) ||
			!strings.HasPrefix(a.Text, "mcpproxy: ") {
			t.Fatalf("%q", a.Text)
		}
		if len(a.Reason) > 510 || len(a.Tool) > 210 {
			t.Fatalf("%d bytes of reason, %d of name", len(a.Reason), len(a.Tool))
		}
	})
}

func TestAChangeOfADefinitionIsAnAlert(t *testing.T) {
	type state string
	a := alert.Of("security.integrity_alert", &mcpproxy.Record{
		ID:         "01J",
		Type:       mcpproxy.RecordQuarantine,
		ServerName: "notes",
		ToolName:   "read_note",
		Decision:   mcpproxy.Deny,
		RiskLevel:  mcpproxy.RiskCritical,
		Metadata: mcpproxy.Metadata{Reason: "It changed.", Detail: map[string]any{
			"kind": state("tool"),
			"from": state("approved"),
			"to":   state("rug_pull"),
			"by":   "mcpproxy",
			"diff": 1,
		}},
	})
	if a.Change["to"] != "rug_pull" || a.Change["from"] != "approved" || len(a.Change) != 4 {
		t.Errorf("%v", a.Change)
	}
	if want := "mcpproxy: tool is now rug_pull notes:read_note (critical risk): It changed."; a.Text != want {
		t.Errorf("got %q, want %q", a.Text, want)
	}
}

func TestSendsAboveTheRateAreAlertsWhateverTheirRisk(t *testing.T) {
	const evidence = "11 external calls within a minute; the limit is 10"
	r := &mcpproxy.Record{
		Decision:   mcpproxy.Allow,
		RiskLevel:  mcpproxy.RiskLow,
		ServerName: "chat",
		ToolName:   "post",
	}
	if alert.Wanted("flow.alert", r, false) {
		t.Error("a call of low risk is told")
	}
	r.Metadata.Signals = []mcpproxy.Signal{{Kind: mcpproxy.KindRapidSends, Evidence: evidence}}
	if a := alert.Of("flow.alert", r); !alert.Wanted("flow.alert", r, false) || !strings.Contains(a.Text, evidence) {
		t.Errorf("the alert says %q", a.Text)
	}
	r.Metadata.Signals[0].Suppressed = true
	if alert.Wanted("flow.alert", r, false) {
		t.Error("a signal that is suppressed is told")
	}
}
