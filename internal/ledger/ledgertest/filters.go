package ledgertest

import (
	"slices"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Full returns a record in which every field is set.
func Full() *mcpproxy.Record {
	return &mcpproxy.Record{
		ID:            "01FULL",
		Type:          mcpproxy.RecordPolicyDecision,
		Source:        "code",
		Timestamp:     time.Date(2026, 3, 1, 12, 0, 2, 123456789, time.UTC),
		SessionID:     "mcp-1",
		FlowSessionID: "hook-1",
		RequestID:     "req-1",
		ParentID:      "parent-1",
		Principal:     "alice",
		ServerName:    "slack",
		ToolName:      "post_message",
		Status:        mcpproxy.StatusBlocked,
		ErrorMessage:  "no",
		DurationMS:    1.5,
		Decision:      mcpproxy.Deny,
		Rule:          "security.flow_policy.sensitive_data_external",
		RiskScore:     99,
		RiskLevel:     mcpproxy.RiskCritical,
		FlowType:      mcpproxy.InternalToExternal,
		CoverageMode:  mcpproxy.CoverageFull,
		Arguments:     []byte(`{"n":12345678901234567890,"s":"ä\u2028"}`),
		Response:      []byte(`"cut"`),
		Truncated:     true,
		TraceID:       "t",
		SpanID:        "s",
		Metadata: mcpproxy.Metadata{
			Facts: mcpproxy.Facts{
				Operation: mcpproxy.Write,
				Classification: &mcpproxy.Class{
					Side:          mcpproxy.External,
					Confidence:    0.9,
					Method:        mcpproxy.ByHeuristic,
					CanExfiltrate: true,
				},
				Signals: []mcpproxy.Signal{{
					Source:     mcpproxy.SourceFlow,
					Kind:       "k",
					Severity:   mcpproxy.SeverityHigh,
					Confidence: 0.5,
				}},
				Edges: []mcpproxy.Edge{{
					From: mcpproxy.Origin{
						CallID: "c",
						Tool:   "get",
						Side:   mcpproxy.Internal,
						Time:   time.Date(2026, 3, 1, 11, 0, 0, 5, time.UTC),
					},
					To:   "slack",
					Type: mcpproxy.InternalToExternal,
					Risk: mcpproxy.RiskCritical,
				}},
			},
			Kind:      mcpproxy.KindTool,
			Reason:    "because",
			Intent:    &mcpproxy.Intent{Operation: mcpproxy.Write, Reason: "r"},
			Sensitive: detected(mcpproxy.SeverityCritical, "github_token"),
			Detail:    map[string]any{"a": "b"},
		},
	}
}

func detected(worst mcpproxy.Severity, types ...string) *mcpproxy.SensitiveData {
	d := &mcpproxy.SensitiveData{Detected: true, ScanDurationMS: 0.25}
	for _, kind := range types {
		d.Detections = append(d.Detections, mcpproxy.Detection{
			Type:     kind,
			Category: "api_token",
			Severity: worst,
			Location: "arguments.x",
		})
	}
	return d
}

// cast returns the records on which the filters are tested, oldest first.
func cast() []*mcpproxy.Record {
	plain := Record("plain")
	medium := Record("medium")
	hook := Record("hook")
	high := Record("high")
	plain.ServerName = "github"
	plain.ToolName = "get_file"
	plain.SessionID = "mcp-1"
	medium.ServerName = "slack"
	medium.ToolName = "list_channels"
	medium.Status = mcpproxy.StatusError
	medium.RiskLevel = mcpproxy.RiskMedium
	medium.FlowType = mcpproxy.InternalToInternal
	medium.FlowSessionID = "hook-2"
	medium.Metadata.Sensitive = detected(mcpproxy.SeverityLow, "email", "phone")
	hook.Type = mcpproxy.RecordHookEvaluation
	hook.ToolName = "Read"
	hook.Status = mcpproxy.StatusRejected
	hook.ParentID = "parent-2"
	hook.RiskLevel = mcpproxy.RiskLow
	hook.RequestID = "req-2"
	hook.FlowSessionID = "hook-1"
	hook.Metadata.Sensitive = &mcpproxy.SensitiveData{ScanDurationMS: 1} // searched, without a finding
	high.RiskLevel, high.FlowType = mcpproxy.RiskHigh, mcpproxy.ExternalToExternal
	high.Metadata.Sensitive = detected(mcpproxy.SeverityHigh, "github_token_old")
	all := []*mcpproxy.Record{plain, medium, Full(), hook, high}
	for i, r := range all {
		r.Timestamp = time.Date(2026, 3, 1, 12, 0, i, 123456789, time.UTC)
	}
	return all
}

func filters(t *testing.T, s ledger.Store) {
	records := cast()
	add(t, s, records...)
	at := func(i int) time.Time { return records[i].Timestamp }
	yes, no := true, false
	everything := []string{"high", "hook", "01FULL", "medium", "plain"}
	for name, c := range map[string]struct {
		q    ledger.Filter
		want []string
	}{
		"nothing": {ledger.Filter{}, everything},
		"one type": {
			ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordHookEvaluation}},
			[]string{"hook"},
		},
		"two types": {
			ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordHookEvaluation, mcpproxy.RecordPolicyDecision}},
			[]string{"hook", "01FULL"},
		},
		"a type that nobody has":            {ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordFlowSummary}}, nil},
		"server":                            {ledger.Filter{Server: "slack"}, []string{"01FULL", "medium"}},
		"server, to the letter":             {ledger.Filter{Server: "Slack"}, nil},
		"tool":                              {ledger.Filter{Tool: "Read"}, []string{"hook"}},
		"session by protocol":               {ledger.Filter{Session: "mcp-1"}, []string{"01FULL", "plain"}},
		"session by flow":                   {ledger.Filter{Session: "hook-1"}, []string{"hook", "01FULL"}},
		"status":                            {ledger.Filter{Status: mcpproxy.StatusError}, []string{"medium"}},
		"flow type":                         {ledger.Filter{FlowType: mcpproxy.InternalToExternal}, []string{"01FULL"}},
		"risk level none and above":         {ledger.Filter{RiskLevel: mcpproxy.RiskNone}, everything},
		"risk level medium and above":       {ledger.Filter{RiskLevel: mcpproxy.RiskMedium}, []string{"high", "01FULL", "medium"}},
		"risk level high and above":         {ledger.Filter{RiskLevel: mcpproxy.RiskHigh}, []string{"high", "01FULL"}},
		"risk level critical":               {ledger.Filter{RiskLevel: mcpproxy.RiskCritical}, []string{"01FULL"}},
		"start, inclusive":                  {ledger.Filter{Start: at(3)}, []string{"high", "hook"}},
		"end, inclusive":                    {ledger.Filter{End: at(1)}, []string{"medium", "plain"}},
		"start and end":                     {ledger.Filter{Start: at(1), End: at(3)}, []string{"hook", "01FULL", "medium"}},
		"start in another zone":             {ledger.Filter{Start: at(4).In(time.FixedZone("east", 3600))}, []string{"high"}},
		"request":                           {ledger.Filter{RequestID: "req-2"}, []string{"hook"}},
		"parent":                            {ledger.Filter{ParentID: "parent-1"}, []string{"01FULL"}},
		"sensitive":                         {ledger.Filter{Sensitive: &yes}, []string{"high", "01FULL", "medium"}},
		"not sensitive":                     {ledger.Filter{Sensitive: &no}, []string{"hook", "plain"}},
		"detection type, not its beginning": {ledger.Filter{DetectionType: "github_token"}, []string{"01FULL"}},
		"detection type, not the first":     {ledger.Filter{DetectionType: "phone"}, []string{"medium"}},
		"severity low and above":            {ledger.Filter{Severity: mcpproxy.SeverityLow}, []string{"high", "01FULL", "medium"}},
		"severity high and above":           {ledger.Filter{Severity: mcpproxy.SeverityHigh}, []string{"high", "01FULL"}},
		"decision":                          {ledger.Filter{Decision: mcpproxy.Deny}, []string{"01FULL"}},
		"rule":                              {ledger.Filter{Rule: "security.flow_policy.sensitive_data_external"}, []string{"01FULL"}},
		"principal":                         {ledger.Filter{Principal: "alice"}, []string{"01FULL"}},
		"session and status":                {ledger.Filter{Session: "mcp-1", Status: mcpproxy.StatusBlocked}, []string{"01FULL"}},
		"status and a time":                 {ledger.Filter{Status: mcpproxy.StatusSuccess, Start: at(1)}, []string{"high"}},
		"request and another session":       {ledger.Filter{RequestID: "req-2", Session: "mcp-1"}, nil},
		"request and parent":                {ledger.Filter{RequestID: "req-1", ParentID: "parent-1"}, []string{"01FULL"}},
		"request and another parent":        {ledger.Filter{RequestID: "req-1", ParentID: "parent-2"}, nil},
		"several at once":                   {ledger.Filter{Server: "slack", Sensitive: &yes, RiskLevel: mcpproxy.RiskHigh}, []string{"01FULL"}},
		"values that contradict":            {ledger.Filter{Server: "slack", Tool: "Read"}, nil},
		"a quote is only a letter":          {ledger.Filter{Server: "' OR 1=1 --"}, nil},
	} {
		if got := ids(t, s, c.q); !slices.Equal(got, c.want) {
			t.Errorf("by %s: got %v, want %v", name, got, c.want)
		}
		if n, err := s.Count(t.Context(), c.q); n != len(c.want) || err != nil {
			t.Errorf("by %s: Count is %d, %v; want %d", name, n, err, len(c.want))
		}
	}
}
