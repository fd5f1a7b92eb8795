package telemetry

import (
	"slices"
	"strings"
	"time"

	"mcpproxy"
)

func newLogs(s Settings) sink {
	c := newCollector(s, "/v1/logs")
	c.shape = func(r resource, batch []*mcpproxy.Record) any {
		records := make([]logRecord, len(batch))
		for i, b := range batch {
			records[i] = logOf(b)
		}
		return map[string]any{"resourceLogs": []any{map[string]any{"resource": r,
			"scopeLogs": []any{map[string]any{"scope": scope{"mcpproxy", s.Version}, "logRecords": records}}}}}
	}
	return c
}

// logOf converts a record to a log record.
func logOf(r *mcpproxy.Record) logRecord {
	severity, level := severityOf(r)
	a := common(r)
	a.str("mcpproxy.activity.id", r.ID)
	a.str("mcpproxy.activity.type", string(r.Type))
	a.str("mcpproxy.source", r.Source)
	a.str("mcpproxy.status", string(r.Status))
	a.str("mcpproxy.flow.session", mcpproxy.SessionDigest(r.FlowSessionID))
	a.str("mcpproxy.parent.id", r.ParentID)
	a.str("mcpproxy.principal", r.Principal)
	a.str("mcpproxy.reason", cut(r.Metadata.Reason, maxText))
	a.str("mcpproxy.coverage", string(r.CoverageMode))
	a.list("mcpproxy.flow.origins", each(r.Metadata.Edges, func(e mcpproxy.Edge) string { return e.From.Name() }))
	a.list("mcpproxy.signals", each(r.Metadata.Signals, func(s mcpproxy.Signal) string { return s.Kind }))
	if s := r.Metadata.Sensitive; s != nil {
		a.list(
			"mcpproxy.sensitive.categories",
			each(s.Detections, func(d mcpproxy.Detection) string { return d.Category }),
		)
	}
	if r.DurationMS > 0 {
		a = append(a, float("mcpproxy.duration_ms", r.DurationMS))
	}
	return logRecord{
		Time:       nano(r.Timestamp),
		Observed:   nano(time.Now()),
		Severity:   severity,
		Level:      level,
		EventName:  "mcpproxy." + string(r.Type),
		Body:       text(line(r)),
		Attributes: a,
		TraceID:    r.TraceID,
		SpanID:     r.SpanID,
	}
}

// common returns the attributes that log records and spans have in common.
func common(r *mcpproxy.Record) attributes {
	var a attributes
	if m := r.Metadata.Kind; m == mcpproxy.KindTool {
		a.str("gen_ai.operation.name", "execute_tool")
		a.str("gen_ai.tool.name", r.ToolName)
	} else if m == mcpproxy.KindPrompt {
		a.str("gen_ai.prompt.name", r.ToolName)
	} else if m == mcpproxy.KindResource {
		a.str("mcp.resource.uri", r.ToolName)
	}
	if r.Source != string(mcpproxy.ChannelHook) {
		a.str("mcp.method.name", method(r))
		a.str("mcp.session.id", mcpproxy.SessionDigest(r.SessionID))
		a.str("jsonrpc.request.id", strings.Trim(r.RequestID, `"`))
	} else {
		a.str("gen_ai.conversation.id", mcpproxy.SessionDigest(r.SessionID))
	}
	a.str("mcpproxy.server", r.ServerName)
	a.str("mcpproxy.operation", string(r.Metadata.Operation))
	a.str("mcpproxy.decision", string(r.Decision))
	a.str("mcpproxy.rule", r.Rule)
	a.str("mcpproxy.flow.type", string(r.FlowType))
	if r.RiskLevel != "" {
		a.str("mcpproxy.risk.level", string(r.RiskLevel))
		a = append(a, num("mcpproxy.risk.score", int64(r.RiskScore)))
	}
	return a
}

// method returns the MCP method of a call; "" for records that are not calls.
func method(r *mcpproxy.Record) string {
	switch r.Metadata.Kind {
	case mcpproxy.KindTool:
		return "tools/call"
	case mcpproxy.KindPrompt:
		return "prompts/get"
	case mcpproxy.KindResource:
		return "resources/read"
	case mcpproxy.KindCompletion:
		return "completion/complete"
	case mcpproxy.KindMethod, mcpproxy.KindAnswer:
		return r.ToolName
	}
	return ""
}

func severityOf(r *mcpproxy.Record) (int, string) {
	switch {
	case r.RiskLevel == mcpproxy.RiskCritical:
		return severityError, "ERROR"
	case r.Status == mcpproxy.StatusBlocked, r.Status == mcpproxy.StatusRejected, r.Status == mcpproxy.StatusError,
		r.RiskLevel == mcpproxy.RiskHigh, r.Decision == mcpproxy.Warn:
		return severityWarn, "WARN"
	}
	return severityInfo, "INFO"
}

// line returns a record as one line for people.
func line(r *mcpproxy.Record) string {
	parts := []string{string(r.Type)}
	if r.Decision != "" {
		parts = append(parts, string(r.Decision))
	}
	if name := strings.Trim(r.ServerName+":"+r.ToolName, ":"); name != "" {
		parts = append(parts, cut(name, 200))
	}
	if r.Metadata.Reason != "" {
		parts = append(parts, cut(r.Metadata.Reason, maxText))
	}
	return strings.Join(parts, " ")
}

const (
	maxText = 500 // length of a reason, in bytes
	maxList = 20  // elements of a list
)

// each returns one word for each element, without duplicates.
func each[T any](items []T, word func(T) string) []string {
	var out []string
	for _, item := range items {
		if w := word(item); w != "" && !slices.Contains(out, w) && len(out) < maxList {
			out = append(out, cut(w, 200))
		}
	}
	return out
}

// cut shortens a text to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
