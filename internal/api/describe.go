package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"mcpproxy/internal/ledger"
)

// describeStreams adds to the document what answers with a stream instead of
// one JSON value, and so is served without huma.
func (s *server) describeStreams(doc *huma.OpenAPI) {
	text := &huma.Schema{Type: "string"}
	failed := map[string]*huma.Response{"400": {Description: "A parameter is not valid"}, "401": {Description: "No or a wrong key"}}
	export := &huma.Operation{OperationID: "export-activity", Method: http.MethodGet, Path: "/api/v1/activity/export",
		Summary: "All records that match, oldest first, as a stream", Responses: map[string]*huma.Response{"200": {Description: "Records",
			Content: map[string]*huma.MediaType{"application/json": {}, "application/jsonl": {}, "text/csv": {}}}}}
	for _, name := range ledger.FilterNames {
		export.Parameters = append(export.Parameters, &huma.Param{Name: name, In: "query", Schema: text})
	}
	export.Parameters = append(export.Parameters,
		&huma.Param{Name: "format", In: "query", Schema: &huma.Schema{Type: "string", Enum: []any{"json", "jsonl", "csv"}}},
		&huma.Param{Name: "include_flows", In: "query", Schema: &huma.Schema{Type: "boolean"}})
	events := &huma.Operation{OperationID: "events", Method: http.MethodGet, Path: "/events", Summary: "Events as they happen",
		Responses: map[string]*huma.Response{"200": {Description: "Server-sent events", Content: map[string]*huma.MediaType{"text/event-stream": {}}}}}
	events.Parameters = []*huma.Param{
		{Name: "types", In: "query", Description: "Names of events, separated by commas; activity.* is all that begin so", Schema: text},
		{Name: "Last-Event-ID", In: "header", Description: "The last event that was read: what came after it is sent again", Schema: text},
		{Name: "last_event_id", In: "query", Description: "The same, for readers that can send no header", Schema: text}}
	events.Responses["503"] = &huma.Response{Description: "Too many readers listen already"}
	for _, op := range []*huma.Operation{export, events} {
		for status, r := range failed {
			op.Responses[status] = r
		}
		doc.AddOperation(op)
	}
}
