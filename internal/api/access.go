package api

import (
	"context"
	"net/http"

	"mcpproxy"
	"mcpproxy/internal/door"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/token"
)

// auditorReads are the routes that an auditor's token opens. Whatever is not here
// is the owner's alone: what is added to the API is closed until somebody opens it.
var auditorReads = []string{
	"GET /api/v1/status", "GET /api/v1/diagnostics",
	"GET /api/v1/activity", "GET /api/v1/activity/{id}", "GET /api/v1/activity/summary", "GET /api/v1/activity/export",
	"GET /api/v1/activity/filter-options/{field}",
	"GET /api/v1/sessions", "GET /api/v1/sessions/{id}/flow",
	"GET /api/v1/policies/suggestions",
	"GET /events", "GET /metrics",
}

// keyed lets only those through who have the right to what they ask for: the
// owner to everything, auditors to what they read, agents to nothing.
func (s *server) keyed(next http.Handler) http.Handler {
	open := http.NewServeMux()
	for _, pattern := range auditorReads {
		open.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, over, paged, refusal := s.pages.admit(r)
		if !paged {
			id, refusal = s.Door.Admit(r, gateway.Trusted(r), false)
		}
		if refusal != nil {
			refusal.Header(w.Header())
			fail(w, refusal.Status, refusal.Message)
			return
		}
		switch id.Role {
		case token.Agent:
			fail(w, http.StatusForbidden, "an agent's token opens the MCP endpoints only: the REST API is for the owner's key and for auditors' tokens")
			return
		case token.Auditor:
			if _, pattern := open.Handler(r); pattern == "" {
				fail(w, http.StatusForbidden, "an auditor's token reads the activity log and changes nothing: this is for the owner's key")
				return
			}
		}
		r, leave, refusal := s.Door.Visit(r, id) // a stream does not outlive its token
		defer leave()
		if refusal != nil {
			fail(w, refusal.Status, refusal.Message)
			return
		}
		ctx, end := context.WithCancel(r.Context())
		defer end()
		if over != nil { // nor its session
			defer context.AfterFunc(over, end)()
		}
		next.ServeHTTP(w, r.WithContext(door.With(ctx, id)))
	})
}

// readable takes from a record what only the owner may see: its bodies.
func readable(ctx context.Context, r *mcpproxy.Record) *mcpproxy.Record {
	if !door.From(ctx).IsOwner() {
		return r.Bare()
	}
	return r
}
