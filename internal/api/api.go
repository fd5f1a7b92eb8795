package api

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"mcpproxy"
	"mcpproxy/internal/alert"
	rules "mcpproxy/internal/approval/store"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/home/store"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/peer"
	"mcpproxy/internal/telemetry"
	"mcpproxy/internal/token"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// Sources are the parts of the daemon that the API reads from and acts on.
type Sources struct {
	// Store is the log with personal data masked. Clear is the same log with personal data, for the owner; it may be
	// nil.
	Store, Clear ledger.Store

	Servers  *upstream.Manager
	Catalog  *catalog.Catalog
	Sessions flow.Sessions
	// Trust stores which definitions are approved and applies decisions about them.
	Trust *trust.Store
	// Decided is called after a decision about a server's definitions.
	Decided func(server string)
	// Read waits until a server's definitions were read for the first time. The error says why they
	// could not be read. It may be nil.
	Read  func(ctx context.Context, server string) error
	Hooks Hooks
	// Hooked returns the agents in whose settings a hook is installed; it may be nil.
	Hooked func() []string
	// Approvals holds the open questions about calls.
	Approvals Approvals
	// Approved stores the permanent answers; it must not be nil.
	Approved *rules.Store
	// Home stores what belongs to the user's own organisation; it must not be nil.
	Home *store.Store
	// Kill is the kill switch; it must not be nil.
	Kill Kill
	// Policies gives access to the policy in force.
	Policies Policies
	// Scripts runs the owner's scripts.
	Scripts Scripts
	// Clients counts the open MCP sessions of the stateful era.
	Clients func() int
	Events  *Events
	// Metrics serves /metrics; nil disables it.
	Metrics http.Handler
	// Alerts and Exports return the counts of sent and failed alerts and records; they may be nil.
	Alerts  func() alert.Webhook
	Exports func() []telemetry.Target
	// Classify returns the classification of a tool and its operation.
	Classify func(server, tool string, def *mcpproxy.Tool) (mcpproxy.Class, mcpproxy.Operation)
	// Probes finds targets and records the results of probes; nil disables probes.
	Probes Prober
	// Fleet looks at the machines of a hub; nil if this is not a hub.
	Fleet Fleet
	// Mask hides secrets in what servers write; it may be nil.
	Mask func(string) string
	// Peers identifies the process that sent a request; nil if processes are not identified.
	Peers *peer.Registry
	// Auth authenticates requests; it must not be nil.
	Auth *auth.Authenticator
	// Tokens stores the tokens of agents. TokenChanged, which may be nil, is called after each
	// change of a token.
	Tokens       *token.Store
	TokenChanged func(what, name, by string)
	// SignedIn, which may be nil, is called after a person has logged in to the page with an account.
	SignedIn func(person, role string)
	// Facts returns the daemon's own state; it may be nil.
	Facts   func() Facts
	Version string
	Listen  string
	Scheme  string // http or https of the listener
}

// server answers the API's requests.
type server struct {
	Sources
	started time.Time
	// evaluating is a semaphore for concurrent evaluations. The others wait after the interim
	// response, so that every hook knows at once that its daemon is running.
	evaluating chan struct{}
	probing    chan struct{} // semaphore for the one running probe
	signingIn  chan struct{} // semaphore for concurrent logins with an account
	pages      *pages
}

// Handler returns the handler of /api/v1, /events, /metrics, /healthz, /readyz
// and /openapi.json, and of the page under /ui/.
func Handler(s Sources) http.Handler {
	srv := &server{
		Sources:    s,
		started:    time.Now(),
		evaluating: make(chan struct{}, max(2, runtime.NumCPU())),
		signingIn:  make(chan struct{}, maxAtOnce),
		pages:      newPages(s.Listen),
	}
	huma.NewError = newError // huma's only way to replace its error type
	huma.ValidateStrictCasing = true
	inner := newRoutes()
	config := huma.DefaultConfig("mcpproxy", s.Version)
	config.DocsPath, config.SchemasPath = "", ""
	config.CreateHooks = nil // no $schema members in answers
	config.Formats = map[string]huma.Format{"application/json": strictJSON, "json": strictJSON}
	config.RejectUnknownQueryParameters = true // a misspelt filter would select everything
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"key": {
			Type:        "apiKey",
			In:          "header",
			Name:        "X-API-Key",
			Description: "api_key from the configuration, or a token",
		},
		"bearer": {Type: "http", Scheme: "bearer", Description: "The same, as a bearer token"}}
	config.Security = []map[string][]string{{"key": {}}, {"bearer": {}}}
	api := humago.New(inner, config)
	api.UseMiddleware(strictQuery(api))
	srv.register(api)
	doc := api.OpenAPI()
	srv.describeStreams(doc)
	srv.describeHooks(doc)
	srv.describePolicies(doc)
	srv.describePublic(doc)
	complete(doc)
	inner.strictly(doc, "POST /api/v1/hooks/evaluate", srv.evaluate)
	inner.strictly(doc, "POST /api/v1/policies/simulate", srv.simulate)
	inner.strictly(doc, "GET /api/v1/activity/export", srv.export)
	inner.strictly(doc, "GET /events", srv.stream)
	inner.ServeMux.HandleFunc("/", inner.unserved)

	outer := newRoutes()
	outer.strictly(doc, "GET /healthz", ok)
	outer.strictly(doc, "GET /readyz", srv.ready)
	if s.Metrics != nil {
		outer.strictly(doc, "GET /metrics", srv.near(s.Metrics).ServeHTTP)
	}
	outer.strictly(doc, "GET /openapi.json", inner.ServeHTTP)
	outer.strictly(doc, "GET "+waysPath, inner.ServeHTTP)
	outer.ServeMux.Handle("/ui/", page())
	outer.ServeMux.HandleFunc(signInPath, srv.signIn)
	outer.ServeMux.HandleFunc("POST "+signOutPath, srv.signOut)
	outer.ServeMux.Handle("/", toPage(outer.others(srv.keyed(inner))))
	return &handler{outer, []*routes{outer, inner}}
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }

// ready is GET /readyz: whether the daemon serves and records calls.
func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	if f := s.facts().Log.Failure; f != nil {
		http.Error(
			w,
			"the activity log cannot be written: "+f.Error+"; "+f.Consequence(),
			http.StatusServiceUnavailable,
		)
		return
	}
	switch f := s.facts().State; {
	case f == nil:
		ok(w, r)
	case f.Denies:
		http.Error(w, f.Error, http.StatusServiceUnavailable)
	default:
		_, _ = io.WriteString(w, f.Error+"\n")
	}
}

// register adds every operation to the API.
func (s *server) register(api huma.API) {
	get(api, "status", "/api/v1/status", "State of the proxy and its servers", s.status)
	get(
		api,
		"standing",
		"/api/v1/standing",
		"Whether the process that asks may take decisions in the user's name",
		s.standing,
	)
	get(
		api,
		"diagnostics",
		"/api/v1/diagnostics",
		"What is covered, what is broken, and what could be better",
		s.diagnostics,
	)
	s.registerActivity(api)
	s.registerServers(api)
	s.registerApprovals(api)
	s.registerRules(api)
	get(api, "kill-state", "/api/v1/kill", "Whether every call is denied", s.killed)
	post(api, "kill", "/api/v1/kill", "Turns the kill switch on or off", s.kill)
	if s.Probes != nil {
		s.registerProbe(api)
	}
	post(
		api,
		"run-code",
		"/api/v1/code/run",
		"Runs a script in the sandbox, each of its calls through the gate",
		s.runCode,
	)
	get(api, "list-sessions", "/api/v1/sessions", "The live flow sessions", s.sessions)
	get(
		api,
		"suggest-policies",
		"/api/v1/policies/suggestions",
		"Changes of the policy that the activity log suggests",
		s.suggestions,
	)
	get(api, "session-flow", "/api/v1/sessions/{id}/flow", "The flows of one live session", s.sessionFlow)
	s.registerHome(api)
	s.registerFleet(api)
	s.registerLogin(api)
	s.registerTokens(api)
}

// registerActivity adds the operations on the activity log.
func (s *server) registerActivity(api huma.API) {
	get(api, "list-activity", "/api/v1/activity", "Records of the activity log", s.activity)
	get(
		api,
		"activity-summary",
		"/api/v1/activity/summary",
		"Counts of the activity log's records, by kind and over time",
		s.summary,
	)
	get(
		api,
		"filter-options",
		"/api/v1/activity/filter-options/{field}",
		"The values in use for a filter, the most frequent first",
		s.options,
	)
	get(api, "get-activity", "/api/v1/activity/{id}", "One record in full", s.record)
	get(
		api,
		"explain-activity",
		"/api/v1/explain/{id}",
		"Why one call was decided as it was, and what would have allowed it",
		s.explain,
	)
}

// registerServers adds the operations on servers and their definitions.
func (s *server) registerServers(api huma.API) {
	get(api, "list-servers", "/api/v1/servers", "The configured servers", s.servers)
	get(api, "list-tools", "/api/v1/servers/{name}/tools", "The tools of a server", s.tools)
	get(
		api,
		"show-tool",
		"/api/v1/servers/{name}/tools/{tool}",
		"One definition of a server, with what a scan found in it",
		s.definition,
	)
	get(
		api,
		"diff-tool",
		"/api/v1/servers/{name}/tools/{tool}/diff",
		"Where a definition differs from the form that was approved",
		s.diff,
	)
	post(
		api,
		"approve-tools",
		"/api/v1/servers/{name}/tools/approve",
		"Approves definitions in their present form",
		s.approve,
	)
	post(api, "block-tools", "/api/v1/servers/{name}/tools/block", "Blocks definitions, in their present and in later forms", s.block)
	post(api, "quarantine-server", "/api/v1/servers/{name}/quarantine", "Quarantines a server: holds everything that it declares", s.quarantine)
	post(
		api,
		"unquarantine-server",
		"/api/v1/servers/{name}/unquarantine",
		"Ends the quarantine of a server",
		s.unquarantine,
	)
	post(
		api,
		"restart-server",
		"/api/v1/servers/{name}/restart",
		"Ends the processes and connections of a server, and connects to it again",
		s.restart,
	)
	get(api, "server-logs", "/api/v1/servers/{name}/logs", "What a server last wrote to its standard error", s.logs)
	get(api, "search-tools", "/api/v1/tools", "Tools of all servers, ranked for a query", s.search)
}

// registerApprovals adds the operations on questions about calls.
func (s *server) registerApprovals(api huma.API) {
	get(
		api,
		"list-approvals",
		"/api/v1/approvals",
		"The questions about calls that wait for an answer, oldest first",
		s.approvals,
	)
	post(api, "decide-approval", "/api/v1/approvals", "Answers a question about a call", s.decideRequest)
	post(
		api,
		"approve-call",
		"/api/v1/approvals/{id}/approve",
		"Lets the call of a request through: once, for its session, or always",
		s.approveRequest,
	)
	post(
		api,
		"deny-call",
		"/api/v1/approvals/{id}/deny",
		"Refuses the call of a request, or withdraws an unused approval",
		s.denyRequest,
	)
}

// registerTokens adds the operations on the tokens of agents.
func (s *server) registerTokens(api huma.API) {
	get(api, "list-tokens", "/api/v1/tokens", "The tokens, without their plain forms", s.tokens)
	post(api, "create-token", "/api/v1/tokens", "Makes a token; only this answer has its plain form", s.createToken)
	del(api, "revoke-token", "/api/v1/tokens/{name}", "Revokes a token at once", s.revokeToken)
}

func post[I, O any](api huma.API, id, path, summary string, h func(context.Context, *I) (*answer[O], error)) {
	huma.Register(api, huma.Operation{
		OperationID: id,
		Method:      http.MethodPost,
		Path:        path,
		Summary:     summary,
		Errors:      []int{http.StatusConflict},
	}, h)
}

func get[I, O any](api huma.API, id, path, summary string, h func(context.Context, *I) (*answer[O], error)) {
	huma.Register(api, huma.Operation{
		OperationID: id,
		Method:      http.MethodGet,
		Path:        path,
		Summary:     summary,
		Errors:      []int{http.StatusBadRequest},
	}, h)
}

func del[I, O any](api huma.API, id, path, summary string, h func(context.Context, *I) (*answer[O], error)) {
	huma.Register(api, huma.Operation{
		OperationID: id,
		Method:      http.MethodDelete,
		Path:        path,
		Summary:     summary,
		Errors:      []int{http.StatusBadRequest},
	}, h)
}
