package sqlite

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// recordKind holds the columns whose values many records share; each combination is stored once.
type recordKind struct {
	Type, Principal, Server, Tool, Status, Decision, Rule string
	Risk                                                  int64
	FlowType                                              string
	Sensitive                                             int64
	Detections                                            string
	Severity                                              int64
}

// kindColumns are the columns of kind, in order.
var kindColumns = []string{
	"type",
	"principal",
	"server",
	"tool",
	"status",
	"decision",
	"rule",
	"risk",
	"flow_type",
	"sensitive",
	"detections",
	"severity",
}

func (k *recordKind) fields() []any {
	return []any{
		&k.Type,
		&k.Principal,
		&k.Server,
		&k.Tool,
		&k.Status,
		&k.Decision,
		&k.Rule,
		&k.Risk,
		&k.FlowType,
		&k.Sensitive,
		&k.Detections,
		&k.Severity,
	}
}

// columns returns the fields for a statement.
func (k *recordKind) columns() []any {
	return []any{
		k.Type,
		k.Principal,
		k.Server,
		k.Tool,
		k.Status,
		k.Decision,
		k.Rule,
		k.Risk,
		k.FlowType,
		k.Sensitive,
		k.Detections,
		k.Severity,
	}
}

// anyTool replaces the tool in kinds whose tool is stored in the records' rows.
const anyTool = "(other)"

// maxKinds is the number of kinds beyond which new kinds do not contain the tool. An agent can
// invent any number of tool names.
const maxKinds = 10_000

// manyTools reports whether a record's tool can have any number of values, such as the URI of a
// resource.
func manyTools(r *mcpproxy.Record) bool {
	return r.Metadata.Kind == mcpproxy.KindResource && r.ToolName != ""
}

func kindOf(r *mcpproxy.Record) recordKind {
	k := recordKind{
		Type:       string(r.Type),
		Principal:  r.Principal,
		Server:     r.ServerName,
		Tool:       r.ToolName,
		Status:     string(r.Status),
		Decision:   string(r.Decision),
		Rule:       r.Rule,
		Risk:       int64(r.RiskLevel.Rank()),
		FlowType:   string(r.FlowType),
		Detections: ",",
		Severity:   -1,
	}
	if s := r.Metadata.Sensitive; s != nil && s.Detected {
		k.Sensitive = 1
		types := []string{}
		for _, d := range s.Detections {
			types = append(types, d.Type)
			k.Severity = max(k.Severity, severityRank(d.Severity))
		}
		// Sorted, so that the same findings give the same kind.
		slices.Sort(types)
		for _, t := range slices.Compact(types) {
			k.Detections += t + ","
		}
	}
	return k
}

func severityRank(s mcpproxy.Severity) int64 { return int64(s.Rank()) }

// kindConditions returns the conditions of a filter that kinds decide.
func kindConditions(q ledger.Filter) *where {
	var w where
	if len(q.Types) > 0 {
		var types []any
		for _, t := range q.Types {
			types = append(types, string(t))
		}
		w.and("type IN ("+strings.TrimSuffix(strings.Repeat("?,", len(types)), ",")+")", types...)
	}
	w.equal("server", q.Server)
	if q.Tool != "" {
		w.and("tool IN (?, ?)", q.Tool, anyTool)
	}
	w.equal("status", string(q.Status))
	w.equal("decision", string(q.Decision))
	w.equal("rule", q.Rule)
	w.equal("principal", q.Principal)
	w.equal("flow_type", string(q.FlowType))
	if q.RiskLevel != "" {
		w.and("risk >= ?", q.RiskLevel.Rank())
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
	return &w
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

// String returns the WHERE clause, or "" without conditions.
func (w *where) String() string {
	if len(w.parts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.parts, " AND ")
}

// orNull returns nil for an empty value, so that NULL is stored.
func orNull(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}
