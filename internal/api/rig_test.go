package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/approval"
	approvalstore "mcpproxy/internal/approval/store"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/home"
	homestore "mcpproxy/internal/home/store"
	"mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/ledger/sqlite"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/replay"
	"mcpproxy/internal/probe"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/token"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

const key = "the-key"

const readNote = `{"name":"read_note","description":"Reads a note","inputSchema":{"type":"object"}}`

// rig is an API over a real log, behind the guard, as the daemon serves it.
type rig struct {
	first  func(*trust.Store) error // reads a server's definitions; nil if reading changes nothing
	t      testing.TB
	url    string
	events *api.Events
	store  *sqlite.Store
	flows  *flow.Tracker
	hooks  hooks
	hooked []string // agents with an installed hook
	kept   *approvalstore.Store
	desk   *approval.Desk
	kill   memorySwitch
	tokens *token.Store
	auth   *auth.Authenticator
	api    http.Handler

	agent, auditor string // tokens of agents, if the rig has any
}

// memorySwitch is a kill switch that only stores who turned it.
type memorySwitch struct {
	mu     sync.Mutex
	state  api.KillState
	turned chan struct{}
}

func (k *memorySwitch) State() api.KillState {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state
}

func (k *memorySwitch) Turned() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.wait()
}

// wait creates the channel when it is first needed. The caller holds the lock.
func (k *memorySwitch) wait() chan struct{} {
	if k.turned == nil {
		k.turned = make(chan struct{})
	}
	return k.turned
}

func (k *memorySwitch) Set(on bool, by string) (api.KillState, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if was := k.state.On; on && !was {
		close(k.wait())
	} else if !on && was {
		k.turned = nil
	}
	k.state = api.KillState{On: on, By: by}
	return k.state, nil
}

// hooks answers every event with a question to the user, and stores the events.
type hooks struct {
	asked   []evaluate.Question
	refused []string
	active  bool
}

func (h *hooks) Refuse(q evaluate.Question, why string) {
	h.refused = append(h.refused, q.Agent+": "+why)
}

func (h *hooks) Evaluate(_ context.Context, q evaluate.Question) evaluate.Answer {
	q.Work = nil // functions cannot be compared
	q.Until = time.Time{}
	h.asked = append(h.asked, q)
	return evaluate.Answer{
		Decision:   mcpproxy.Ask,
		Reason:     "why",
		RiskLevel:  mcpproxy.RiskMedium,
		ActivityID: "01A",
		Output:     evaluate.Output{Stdout: "{}\n", Exit: 2},
	}
}

func (h *hooks) Coverage(time.Time) evaluate.Coverage {
	if !h.active {
		return evaluate.Coverage{Mode: mcpproxy.CoverageProxyOnly, Agents: []evaluate.AgentSeen{}}
	}
	return evaluate.Coverage{
		Mode:   mcpproxy.CoverageFull,
		Active: true,
		Agents: []evaluate.AgentSeen{{Name: "codex", Sessions: 2, Last: start}},
	}
}

// strict is a policy that denies destructive calls, whatever is merged into it.
type strict struct{}

func (s strict) WithBundle(source []byte) (replay.Policy, error) { return s.With(source) }

func (strict) With(part []byte) (replay.Policy, error) {
	if strings.Contains(string(part), "wrong") {
		return replay.Policy{}, errors.New("security.policies: wrong")
	}
	return replay.Policy{
		Tables: policy.Tables{
			Operations: map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Destructive: mcpproxy.Deny},
		},
	}, nil
}

func (strict) Rules() []string { return []string{"idle"} }

// echoScripts runs no script: it returns a fixed result in the form of the sandbox.
type echoScripts struct{}

func (echoScripts) Enabled() bool { return true }
func (echoScripts) Execute(_ context.Context, call *mcpproxy.Call, _ gate.User) (*mcpproxy.Result, mcpproxy.Verdict) {
	return &mcpproxy.Result{
			Raw: []byte(`{"structuredContent":{"result":1,"console":[],"tool_calls":0,"duration_ms":3}}`),
		},
		mcpproxy.Verdict{
			Decision: mcpproxy.Allow,
			ID:       "01JQ8Z3M5K7N9P2R4T6V8X0Y1A",
		}
}

// noProbes has no targets.
type noProbes struct{}

func (noProbes) Target(string, bool) (probe.Target, error)          { return probe.Target{}, api.ErrNoServer }
func (noProbes) Configured(string) bool                             { return false }
func (noProbes) Recorded(*probe.Results, string, error) (id string) { return "" }

// start is the time of the first record of every rig.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newRig(t testing.TB, records ...*mcpproxy.Record) *rig {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.Append(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	servers := upstream.NewManager(func(*upstream.Server) {}, func(*upstream.Server, *wire.Message) {})
	servers.Apply([]upstream.Spec{{Name: "notes", Protocol: upstream.Stdio, Command: "none"}})
	tools := catalog.New()
	tools.Set("notes", []json.RawMessage{json.RawMessage(readNote)})
	approvals, err := trust.Open(
		filepath.Join(t.TempDir(), "trust.json"),
		trust.Rules{Enabled: true, QuarantineNew: true},
		trust.Deps{},
	)
	if err != nil {
		t.Fatal(err)
	}
	approvals.Observe("notes", trust.Tool, []json.RawMessage{json.RawMessage(readNote)}, true)
	known, err := homestore.Open(filepath.Join(t.TempDir(), homestore.File), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, domain := range []string{"acme.example", "other.example"} {
		if err := known.Learn([]home.Entry{{Kind: home.Domain, Value: domain, Source: home.GitUser}}, domain); err != nil {
			t.Fatal(err)
		}
	}
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	sessions.Get("mcp:local:one")
	sessions.Get(flow.PrincipalPrefix + "local")
	var authenticator *auth.Authenticator
	tokens, err := token.Open(filepath.Join(t.TempDir(), "tokens.json"), func(name string) { authenticator.EndRequests(name) })
	if err != nil {
		t.Fatal(err)
	}
	authenticator = auth.New(func() string { return key }, tokens)
	t.Cleanup(sessions.Close)
	r := &rig{
		t:      t,
		events: api.NewEvents(),
		store:  store,
		tokens: tokens,
	}
	r.desk = approval.New(approval.Rules{Wait: time.Hour, Expiry: time.Hour}, func(approval.Event) {})
	t.Cleanup(r.desk.Close)
	r.flows = flow.New(sessions, flow.Limits{
		Enabled:    true,
		MaxOrigins: 100,
		MinLength:  20,
		MaxBytes:   65536,
	})
	kept, err := approvalstore.Open(filepath.Join(t.TempDir(), approvalstore.File), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.desk.Keep(kept)
	r.kept = kept
	h := api.Handler(api.Sources{
		Store:   store,
		Servers: servers,
		Catalog: tools,
		Trust:   approvals,
		Read: func(context.Context, string) error {
			if r.first == nil {
				return nil
			}
			return r.first(approvals)
		},
		Sessions:  sessions,
		Hooks:     &r.hooks,
		Hooked:    func() []string { return r.hooked },
		Approvals: r.desk,
		Approved:  kept,
		Home:      known,
		Kill:      &r.kill,
		Policies:  strict{},
		Probes:    noProbes{},
		Fleet:     fleet{},
		Scripts:   echoScripts{},
		Clients:   func() int { return 0 },
		Events:    r.events,
		Classify: func(string, string, *mcpproxy.Tool) (mcpproxy.Class, mcpproxy.Operation) {
			return mcpproxy.Class{Side: mcpproxy.Internal, Confidence: 0.9, Method: mcpproxy.ByHeuristic}, mcpproxy.Read
		},
		Auth:   authenticator,
		Tokens: tokens,
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; version=0.0.4")
			_, _ = w.Write([]byte("# figures\n"))
		}),
		Version: "test",
		Listen:  "127.0.0.1:8080",
	})
	r.api, r.auth = h, authenticator
	guarded := gateway.Guard(func() []string { return []string{"127.0.0.1:8080"} }, nil, h)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("X-Test-Socket") != "" { // represents the owner's socket
			gateway.Trust(guarded).ServeHTTP(w, req)
			return
		}
		guarded.ServeHTTP(w, req)
	}))
	t.Cleanup(func() { r.events.Close(); srv.CloseClientConnections(); srv.Close() })
	r.url = srv.URL
	return r
}

// some returns records of several kinds, one for each minute.
func some() []*mcpproxy.Record {
	out := []*mcpproxy.Record{
		{
			Type:       mcpproxy.RecordToolCall,
			ServerName: "vault",
			ToolName:   "read_secret",
			Status:     mcpproxy.StatusSuccess,
			Decision:   mcpproxy.Allow,
			RiskLevel:  mcpproxy.RiskNone,
			Metadata: mcpproxy.Metadata{
				Sensitive: &mcpproxy.SensitiveData{Detected: true, Detections: []mcpproxy.Detection{{
					Type:     "github_token",
					Category: "api_token",
					Severity: mcpproxy.SeverityHigh,
					Location: "response.content[0].text",
				}}},
			},
		},
		{
			Type:       mcpproxy.RecordPolicyDecision,
			ServerName: "chat",
			ToolName:   "post_message",
			Status:     mcpproxy.StatusBlocked,
			Decision:   mcpproxy.Deny,
			Rule:       "security.flow_policy.sensitive_data_external",
			RiskScore:  100,
			RiskLevel:  mcpproxy.RiskCritical,
			FlowType:   mcpproxy.InternalToExternal,
			SessionID:  "s1",
			Arguments:  json.RawMessage(`{"text":"[masked]"}`),
			Metadata: mcpproxy.Metadata{
				Facts: mcpproxy.Facts{Edges: []mcpproxy.Edge{{To: "chat", Type: mcpproxy.InternalToExternal, Risk: mcpproxy.RiskCritical}}},
			},
		},
		{
			Type:         mcpproxy.RecordToolCall,
			ServerName:   "chat",
			ToolName:     "post_message",
			Status:       mcpproxy.StatusError,
			ErrorMessage: "=cmd|' /C calc'!A0",
			Decision:     mcpproxy.Warn,
			RiskScore:    45,
			RiskLevel:    mcpproxy.RiskMedium,
			FlowType:     mcpproxy.InternalToExternal,
			SessionID:    "s2",
			RequestID:    "7",
		},
		{Type: mcpproxy.RecordSystemStart, Source: "system", Status: mcpproxy.StatusSuccess},
	}
	for i, r := range out {
		r.ID = fmt.Sprintf("01JTEST%019d", i+1)
		r.Timestamp = start.Add(time.Duration(i) * time.Minute)
		if r.Source == "" {
			r.Source = "mcp"
		}
	}
	return out
}

// answer is an answer whose body has been read.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request with the key, unless headers contain another one.
func (r *rig) ask(path string, header map[string]string) answer {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	for k, v := range header {
		if k == "Host" {
			req.Host = v
		} else if v == "" {
			req.Header.Del(k)
		} else {
			req.Header.Set(k, v)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}

// data decodes a successful answer.
func (a answer) data(t testing.TB, into any) {
	t.Helper()
	var e struct {
		Success bool
		Data    json.RawMessage
	}
	if err := json.Unmarshal([]byte(a.body), &e); err != nil || !e.Success || a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	if err := json.Unmarshal(e.Data, into); err != nil {
		t.Fatal(err)
	}
}

// failure checks the envelope of an error and returns its message.
func (a answer) failure(t testing.TB) string {
	t.Helper()
	var e struct {
		Success   *bool
		Error     string
		RequestID string `json:"request_id"`
	}
	dec := json.NewDecoder(strings.NewReader(a.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil || e.Success == nil || *e.Success || e.Error == "" || e.RequestID == "" {
		t.Fatalf("status %d, and no failure in its envelope (%v): %s", a.status, err, a.body)
	}
	return e.Error
}
