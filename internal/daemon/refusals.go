package daemon

import (
	"net/http"
	"strings"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/peer"
)

// refusals records requests that were refused because of their sender. The gate limits the number
// of records of one kind.
type refusals struct {
	gate *gate.Gate
	log  *monitor
}

// record records that a request was refused because of its sender. It records nothing of the
// request's content, because a key may be anywhere in it: in a header, the path or the body.
func (f refusals) record(r *http.Request, refusal *auth.Refusal) {
	kind := journal.RequestKind{
		Status:    refusal.Status,
		Reason:    refusal.Message,
		Address:   auth.AddressOf(r),
		Principal: refusal.Principal,
	}
	if gateway.Trusted(r) {
		kind.Address = "the owner's socket"
	}
	record := f.gate.RefuseRequest(kind, func() journal.RefusedRequest {
		source, surface := askedFor(r.URL.Path)
		return journal.RefusedRequest{
			Source:  source,
			Method:  knownMethod(r.Method),
			Surface: surface,
			Process: peer.Of(r.Context()),
		}
	})
	if record != nil && refusal.Status == http.StatusTooManyRequests {
		f.log.publishRecord(intake.EventIntegrity, record) // the sender is guessing keys
	}
}

// askedFor names the target of a path and the source of its records.
func askedFor(path string) (source, surface string) {
	switch path = strings.TrimSuffix(path, "/"); {
	case path == auditPath:
		return "mcp", "the audit endpoint"
	case path == "/mcp" || strings.HasPrefix(path, "/mcp/"):
		return "mcp", "an MCP endpoint"
	case path == "/api/v1/hooks/evaluate":
		return "hook", "hooks"
	case path == "/metrics":
		return "api", "metrics"
	case path == "/events":
		return "api", "events"
	case path == "/ui" || strings.HasPrefix(path, "/ui/"):
		return "api", "the page"
	}
	return "api", "the REST API"
}

// knownMethod returns a known HTTP method, or a placeholder for any other text.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions:
		return method
	}
	return "another"
}
