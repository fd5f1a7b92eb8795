package api

import (
	"context"
	"net/http"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/token"
)

// auditorReads are the routes that an auditor's token may use. All other routes are for the owner,
// so a new route is closed until it is added here.
var auditorReads = []string{
	"GET /api/v1/status", "GET /api/v1/diagnostics",
	"GET /api/v1/activity", "GET /api/v1/activity/{id}", "GET /api/v1/activity/summary", "GET /api/v1/activity/export",
	"GET /api/v1/activity/filter-options/{field}",
	"GET /api/v1/sessions", "GET /api/v1/sessions/{id}/flow",
	"GET /api/v1/policies/suggestions", "GET /api/v1/fleet",
	"GET /events", "GET /metrics",
}

// keyed serves only requests whose sender may make them: the owner may make all requests, auditors
// may read, and agents may do nothing.
func (s *server) keyed(next http.Handler) http.Handler {
	open := http.NewServeMux()
	for _, pattern := range auditorReads {
		open.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in, refusal := s.pages.admit(r)
		if in == nil && refusal == nil {
			in = &admission{over: context.Background()}
			in.id, refusal = s.Auth.Admit(r, gateway.Trusted(r), false)
		}
		var id auth.Identity
		if refusal == nil {
			id = in.id
		}
		if refusal == nil {
			refusal = roleRefusal(id, r, open)
		}
		if refusal != nil {
			s.turnAway(w, r, refusal)
			return
		}
		if decides(r) {
			if err := s.Peers.MayDecide(r.Context()); err != nil {
				fail(w, http.StatusForbidden, err.Error())
				return
			}
		}
		r, leave, refusal := s.Auth.Bind(r, id) // a stream ends with its token
		defer leave()
		if refusal != nil {
			s.turnAway(w, r, refusal)
			return
		}
		ctx, end := context.WithCancel(r.Context())
		defer end()
		defer context.AfterFunc(in.over, end)() // and with its session
		if in.with != nil {
			ctx = context.WithValue(ctx, grantKey{}, *in.with)
		}
		next.ServeHTTP(w, r.WithContext(auth.With(ctx, id)))
	})
}

// personal are the requests that every person who is logged in with an account may make.
var personal = []string{"POST " + exchangePath, "POST /api/v1/logout"}

// ownersPrograms are the requests whose actions are recorded as the owner's, or that open the page
// in the owner's name. People who are logged in with an account cannot make them, so that every
// record of a person's action names the person.
var ownersPrograms = []string{"POST /api/v1/login", "POST /api/v1/code/run", "POST /api/v1/hooks/evaluate"}

// roleRefusal returns the refusal of a request that a token's role does not allow, or nil. Open are the routes
// for auditors.
func roleRefusal(id auth.Identity, r *http.Request, open *http.ServeMux) *auth.Refusal {
	refusal := &auth.Refusal{Status: http.StatusForbidden, Principal: id.Principal}
	_, pattern := open.Handler(r)
	asked := r.Method + " " + r.URL.Path
	switch {
	case id.IsPerson() && slices.Contains(personal, asked):
		return nil
	case id.IsPerson() && slices.Contains(ownersPrograms, asked):
		refusal.Message = "this request acts in the owner's name, so its record could not name you: " +
			"use the owner's key or socket"
	case id.IsPerson() && id.Role == token.Auditor && pattern == "":
		refusal.Message = "an auditor reads the activity log and changes nothing: this is for owners"
	case id.Role == token.Agent:
		refusal.Message = "an agent's token opens the MCP endpoints only: " +
			"the REST API is for the owner's key and for auditors' tokens"
	case id.Role == token.Auditor && pattern == "":
		refusal.Message = "an auditor's token reads the activity log and changes nothing: this is for the owner's key"
	default:
		return nil
	}
	return refusal
}

// turnAway refuses a request because of its sender.
func (s *server) turnAway(w http.ResponseWriter, r *http.Request, refusal *auth.Refusal) {
	s.Auth.Refused(r, refusal)
	refusal.Header(w.Header())
	fail(w, refusal.Status, refusal.Message)
}

// nonDeciding are the requests with a body that make no decision. Hooks have their own rules about
// senders ([peer.Registry.Hook]), and a simulation only reads.
var nonDeciding = []string{"/api/v1/hooks/evaluate", "/api/v1/policies/simulate"}

// decides reports whether a request makes a decision in the user's name. Every request does,
// except reads and the requests in nonDeciding.
func decides(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && !slices.Contains(nonDeciding, r.URL.Path)
}

// Standing says whether the process that sent the request may make decisions.
type Standing struct {
	MayDecide bool   `json:"may_decide"`
	Reason    string `json:"reason,omitempty" doc:"Why it may not"`
}

// standing returns GET /standing. Commands that change files themselves call it.
func (s *server) standing(ctx context.Context, _ *struct{}) (*answer[Standing], error) {
	if err := s.Peers.MayDecide(ctx); err != nil {
		return success(Standing{Reason: err.Error()})
	}
	return success(Standing{MayDecide: true})
}

// readable removes the bodies from a record unless the reader is the owner.
func readable(ctx context.Context, r *mcpproxy.Record) *mcpproxy.Record {
	if !auth.From(ctx).IsOwner() {
		return r.Bare()
	}
	return r
}
