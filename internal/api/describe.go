package api

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// describeStreams documents the operations that answer with a stream instead of one JSON value and
// are therefore served without huma.
func (s *server) describeStreams(doc *huma.OpenAPI) {
	text := &huma.Schema{Type: "string"}
	records := &huma.Schema{
		Type:  "array",
		Items: doc.Components.Schemas.Schema(reflect.TypeFor[mcpproxy.Record](), true, "Record"),
	}
	export := &huma.Operation{
		OperationID: "export-activity",
		Method:      http.MethodGet,
		Path:        "/api/v1/activity/export",
		Summary:     "All records that match, oldest first, as a stream",
		Responses: map[string]*huma.Response{"200": {
			Description: "Records",
			Content: map[string]*huma.MediaType{
				"application/json":  {Schema: records},
				"application/jsonl": {},
				"text/csv":          {},
			},
		}},
	}
	for _, name := range ledger.FilterNames {
		export.Parameters = append(export.Parameters, &huma.Param{Name: name, In: "query", Schema: text})
	}
	export.Parameters = append(export.Parameters,
		&huma.Param{
			Name:    "format",
			In:      "query",
			Schema:  &huma.Schema{Type: "string", Enum: []any{"json", "jsonl", "csv"}},
			Example: "json",
		},
		&huma.Param{
			Name:    "include_flows",
			In:      "query",
			Schema:  &huma.Schema{Type: "boolean"},
			Example: true,
		})
	events := &huma.Operation{
		OperationID: "events",
		Method:      http.MethodGet,
		Path:        "/events",
		Summary:     "Events as they happen",
		Responses: map[string]*huma.Response{
			"200": {Description: "Server-sent events", Content: map[string]*huma.MediaType{"text/event-stream": {}}},
		},
	}
	events.Parameters = []*huma.Param{
		{
			Name:        "types",
			In:          "query",
			Description: "Names of events, separated by commas; activity.* means all names that begin with activity.",
			Schema:      text,
		},
		{
			Name:        "Last-Event-ID",
			In:          "header",
			Description: "Id of the last event that was read: later events are sent again",
			Schema:      text,
		},
		{
			Name:        "last_event_id",
			In:          "query",
			Description: "The same, for readers that can send no header",
			Schema:      text,
		}}
	events.Responses["503"] = &huma.Response{Description: "Too many readers listen already"}
	for _, op := range []*huma.Operation{export, events} {
		doc.AddOperation(op)
	}
}

// describePublic documents the operations that need no key.
func (s *server) describePublic(doc *huma.OpenAPI) {
	answers := func(kind string, schema *huma.Schema, example any) map[string]*huma.Response {
		return map[string]*huma.Response{
			"200": {
				Description: "It runs",
				Content:     map[string]*huma.MediaType{kind: {Schema: schema, Example: example}},
			},
		}
	}
	ready := answers("text/plain", &huma.Schema{Type: "string"}, "ok\n")
	ready["503"] = &huma.Response{
		Description: "The activity log cannot be written: the answer says why, and whether calls are denied meanwhile",
		Content:     map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: "string"}}},
	}
	for _, op := range []*huma.Operation{
		{
			OperationID: "healthz",
			Path:        "/healthz",
			Summary:     "Whether the process runs",
			Responses:   answers("text/plain", &huma.Schema{Type: "string"}, "ok\n"),
		},
		{
			OperationID: "readyz",
			Path:        "/readyz",
			Summary:     "Whether calls are served and recorded",
			Responses:   ready,
		},
		{
			OperationID: "openapi",
			Path:        "/openapi.json",
			Summary:     "This document",
			Responses:   answers("application/openapi+json", &huma.Schema{Type: "object", AdditionalProperties: true}, map[string]any{"openapi": "3.1.0"}),
		},
	} {
		op.Method, op.Security = http.MethodGet, public
		doc.AddOperation(op)
	}
	if s.Metrics != nil {
		doc.AddOperation(&huma.Operation{
			OperationID: "metrics",
			Method:      http.MethodGet,
			Path:        "/metrics",
			Summary:     "Figures for Prometheus; from this machine without a key",
			Security:    append(public, map[string][]string{"key": {}}),
			Extensions:  map[string]any{lenient: true},
			Responses:   answers("text/plain", &huma.Schema{Type: "string"}, "# TYPE mcpproxy_calls_total counter\n"),
		})
	}
}

// public is the security requirement of operations without a key.
var public = []map[string][]string{{}}

// complete documents what all operations have in common: their errors, the values of filters, and
// examples.
func complete(doc *huma.OpenAPI) {
	problem := doc.Components.Schemas.Schema(reflect.TypeFor[failure](), true, "Failure")
	shown := examples()
	for path, methods := range operations(doc) {
		for _, op := range methods {
			for _, status := range failuresOf(op) {
				op.Responses[strconv.Itoa(status)] = &huma.Response{Description: problems[status].means,
					Content: map[string]*huma.MediaType{"application/json": {Schema: problem, Example: map[string]any{
						"success":    false,
						"error":      problems[status].example,
						"request_id": "01JQ8Z3M5K7N9P2R4T6V8X0Y1A",
					}}}}
			}
			if strings.HasPrefix(path, "/api/v1/activity") {
				describeFilters(op)
			}
			for _, p := range op.Parameters {
				if e, ok := parameters[p.Name]; ok && p.Example == nil {
					p.Example = e
				}
			}
			if e, ok := shown[op.OperationID]; ok {
				e.show(op)
			}
		}
	}
}

// problems explain the errors of the API.
var problems = map[int]struct{ means, example string }{
	http.StatusBadRequest: {
		"A parameter or the body is not valid",
		`limit: "x" is not a whole number from 1 to 100`,
	},
	http.StatusUnauthorized: {
		"No key, a wrong one, or a token that is unknown or has expired",
		"a valid key is required",
	},
	http.StatusForbidden: {
		"The key does not give access to this, or the request comes from a page of another origin",
		"an auditor's token reads the activity log and changes nothing",
	},
	http.StatusNotFound: {"What the path names does not exist", `there is no server "notes"`},
	http.StatusConflict: {
		"The present state is not the one that the request expects",
		"the definition has changed since you looked at it",
	},
	http.StatusTooManyRequests: {
		"Too many wrong keys came from this address; Retry-After says when to come again",
		"too many wrong keys came from this address",
	},
	http.StatusServiceUnavailable: {
		"A limit is reached; try again later",
		"128 readers listen already: end one of them",
	},
	http.StatusInternalServerError: {"mcpproxy failed; the request is not at fault", "the activity log cannot be read"},
}

// failuresOf returns the error statuses of an operation.
func failuresOf(op *huma.Operation) []int {
	if len(op.Security) == 1 && len(op.Security[0]) == 0 {
		return []int{http.StatusBadRequest}
	}
	out := []int{
		http.StatusBadRequest,
		http.StatusUnauthorized,
		http.StatusForbidden,
		http.StatusTooManyRequests,
		http.StatusInternalServerError,
	}
	if strings.Contains(op.Path, "{") {
		out = append(out, http.StatusNotFound)
	}
	for _, status := range append(answered(op), op.Errors...) {
		if _, ok := problems[status]; ok && !slices.Contains(out, status) {
			out = append(out, status)
		}
	}
	return out
}

// answered returns the error statuses that an operation lists itself.
func answered(op *huma.Operation) []int {
	var out []int
	for name := range op.Responses {
		if status, err := strconv.Atoi(name); err == nil && status >= http.StatusBadRequest {
			out = append(out, status)
		}
	}
	return out
}

// describeFilters documents the values of the log's filters. huma treats them as plain text, so that only
// [ledger.ParseFilter] validates them.
func describeFilters(op *huma.Operation) {
	one := func(values []string) *huma.Schema {
		s := &huma.Schema{Type: "string"}
		for _, v := range values {
			s.Enum = append(s.Enum, v)
		}
		return s
	}
	types := "(" + strings.Join(names(mcpproxy.RecordTypes), "|") + ")"
	least := 1.0
	most := float64(ledger.MaxLimit)
	none := 0.0
	schemas := map[string]*huma.Schema{
		"type":   {Type: "string", Pattern: "^" + types + "(," + types + ")*$"},
		"status": one(names(mcpproxy.Statuses)),
		"flow_type": one(
			append(
				names(flowTypes),
				"internal->internal",
				"external->external",
				"external->internal",
				"internal->external",
			),
		),
		"risk_level":     one(names(mcpproxy.RiskLevels)),
		"severity":       one(names(mcpproxy.Severities)),
		"start_time":     {Type: "string", Format: "date-time"},
		"end_time":       {Type: "string", Format: "date-time"},
		"decision":       one(names(decisions)),
		"order":          one([]string{"asc", "desc"}),
		"sensitive_data": {Type: "boolean"},
		"limit":          {Type: "integer", Minimum: &least, Maximum: &most},
		"offset":         {Type: "integer", Minimum: &none},
	}
	for i, p := range op.Parameters {
		if s, ok := schemas[p.Name]; ok && p.In == "query" {
			described := *p
			s.Description = p.Description
			described.Schema = s
			op.Parameters[i] = &described
		}
	}
}

// decisions lists every decision.
var decisions = []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Redact, mcpproxy.Ask, mcpproxy.Deny}

// flowTypes lists every flow type.
var flowTypes = []mcpproxy.FlowType{
	mcpproxy.InternalToInternal,
	mcpproxy.ExternalToExternal,
	mcpproxy.ExternalToInternal,
	mcpproxy.InternalToExternal,
}

func names[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
