package postgres

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// row holds the searchable fields of a record.
type row struct {
	ID         string
	TS         int64
	Type       string
	Session    string
	Flow       string
	Request    string
	Parent     string
	Principal  string
	Server     string
	Tool       string
	Status     string
	Decision   string
	Rule       string
	FlowType   string
	Risk       int16
	Sensitive  bool
	Detections string
	Severity   int16
}

// rowColumns are the columns of a row, in order.
const rowColumns = "id, ts, type, session, flow, request, parent, principal, server, tool, status, decision, rule, " +
	"flow_type, risk, sensitive, detections, severity"

// sealedColumns are the columns of a sealed record, in the order of sealedFields.
const sealedColumns = "form, prev, hash, body, salt, arguments, response"

func (r *row) fields() []any {
	return []any{
		&r.ID,
		&r.TS,
		&r.Type,
		&r.Session,
		&r.Flow,
		&r.Request,
		&r.Parent,
		&r.Principal,
		&r.Server,
		&r.Tool,
		&r.Status,
		&r.Decision,
		&r.Rule,
		&r.FlowType,
		&r.Risk,
		&r.Sensitive,
		&r.Detections,
		&r.Severity,
	}
}

func sealedFields(s *ledger.Sealed) []any {
	return []any{
		&s.Form,
		&s.Prev,
		&s.Hash,
		&s.Body,
		&s.Salt,
		&s.Arguments,
		&s.Response,
	}
}

// clean replaces the bytes that PostgreSQL refuses in text: NUL and invalid UTF-8.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// rowOf returns the row of a record.
func rowOf(r *mcpproxy.Record) row {
	out := row{
		ID:         clean(r.ID),
		TS:         r.Timestamp.UnixMicro(),
		Type:       clean(string(r.Type)),
		Session:    clean(r.SessionID),
		Flow:       clean(r.FlowSessionID),
		Request:    clean(r.RequestID),
		Parent:     clean(r.ParentID),
		Principal:  clean(r.Principal),
		Server:     clean(r.ServerName),
		Tool:       clean(r.ToolName),
		Status:     clean(string(r.Status)),
		Decision:   clean(string(r.Decision)),
		Rule:       clean(r.Rule),
		FlowType:   clean(string(r.FlowType)),
		Risk:       int16(r.RiskLevel.Rank()),
		Detections: ",",
		Severity:   -1,
	}
	if s := r.Metadata.Sensitive; s != nil && s.Detected {
		out.Sensitive = true
		var types []string
		for _, d := range s.Detections {
			types = append(types, clean(d.Type))
			out.Severity = max(out.Severity, int16(d.Severity.Rank()))
		}
		slices.Sort(types)
		for _, t := range slices.Compact(types) {
			out.Detections += t + ","
		}
	}
	return out
}

// disagrees returns the first column in which a stored row differs from its record, or "".
func (r *row) disagrees(want row) string {
	got, expected := r.fields(), want.fields()
	for i, name := range strings.Split(rowColumns, ", ") {
		if !same(got[i], expected[i]) {
			return name
		}
	}
	return ""
}

// same compares the values that two pointers of one type point to.
func same(a, b any) bool {
	switch a := a.(type) {
	case *string:
		return *a == *b.(*string)
	case *int64:
		return *a == *b.(*int64)
	case *int16:
		return *a == *b.(*int16)
	case *bool:
		return *a == *b.(*bool)
	}
	return false
}
