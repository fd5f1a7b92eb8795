package sqlite

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// names are the columns of records after seq, in the order of columns().
var names = []string{"id", "ts", "type", "server", "tool", "session", "flow_session", "request_id", "parent_id",
	"status", "decision", "risk", "flow_type", "sensitive", "detections", "severity"}

var insertRow = "INSERT INTO records (seq, " + strings.Join(names, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(names)) + ")"

// columns are the narrow row of a record.
func columns(r *mcpproxy.Record) []any {
	sensitive, detections, severity := int64(0), ",", int64(-1)
	if s := r.Metadata.Sensitive; s != nil && s.Detected {
		sensitive = 1
		for _, d := range s.Detections {
			if !strings.Contains(detections, ","+d.Type+",") {
				detections += d.Type + ","
			}
			severity = max(severity, severityRank(d.Severity))
		}
	}
	return []any{r.ID, r.Timestamp.UnixMicro(), string(r.Type), r.ServerName, r.ToolName, r.SessionID, r.FlowSessionID,
		r.RequestID, r.ParentID, string(r.Status), string(r.Decision), int64(r.RiskLevel.Rank()), string(r.FlowType),
		sensitive, detections, severity}
}

func severityRank(s mcpproxy.Severity) int64 { return int64(slices.Index(ledger.Severities, s)) }

// conditions is the WHERE clause of a filter.
func conditions(q ledger.Filter) (string, []any) {
	var w where
	if len(q.Types) > 0 {
		marks := strings.TrimSuffix(strings.Repeat("?,", len(q.Types)), ",")
		var types []any
		for _, t := range q.Types {
			types = append(types, string(t))
		}
		w.and("type IN ("+marks+")", types...)
	}
	w.equal("server", q.Server)
	w.equal("tool", q.Tool)
	w.equal("status", string(q.Status))
	w.equal("flow_type", string(q.FlowType))
	w.equal("request_id", q.RequestID)
	w.equal("parent_id", q.ParentID)
	if q.Session != "" {
		w.and("(session = ? OR flow_session = ?)", q.Session, q.Session)
	}
	if q.RiskLevel != "" {
		w.and("risk >= ?", q.RiskLevel.Rank())
	}
	if !q.Start.IsZero() {
		w.and("ts >= ?", q.Start.UnixMicro())
	}
	if !q.End.IsZero() {
		w.and("ts <= ?", q.End.UnixMicro())
	}
	if q.Sensitive != nil {
		w.and("sensitive = ?", *q.Sensitive)
	}
	if q.DetectionType != "" {
		w.and("instr(detections, ?) > 0", ","+q.DetectionType+",")
	}
	if q.Severity != "" {
		w.and("severity >= ?", severityRank(q.Severity))
	}
	if q.Before != "" {
		w.and("records.seq < (SELECT seq FROM records WHERE id = ?)", q.Before)
	}
	return w.String(), w.args
}

// where builds a WHERE clause.
type where struct {
	parts []string
	args  []any
}

func (w *where) and(condition string, args ...any) {
	w.parts = append(w.parts, condition)
	w.args = append(w.args, args...)
}

func (w *where) equal(column, value string) {
	if value != "" {
		w.and(column+" = ?", value)
	}
}

func (w *where) String() string {
	if len(w.parts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.parts, " AND ")
}
