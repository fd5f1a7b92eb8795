package gateway_test

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

// detector is compiled once for all tests.
var detector = sync.OnceValue(func() *detect.Detector { return detect.New(detect.Rules()) })

// rig is a gateway with everything behind it, as the daemon wires it.
type rig struct {
	t       *testing.T
	url     string
	gateway *gateway.Gateway
	gate    *gate.Gate
	catalog *catalog.Catalog
	servers *upstream.Manager

	sessions *memory.Store[*flow.Session]
	links    *flow.Correlator
	tracker  *flow.Tracker

	mu      sync.Mutex
	records []*mcpproxy.Record
	up      map[string]*mcp.Server
}

// Append and Add make the rig a log.
func (r *rig) Append(_ context.Context, rec *mcpproxy.Record) error { r.Add(rec); return nil }

func (r *rig) Add(rec *mcpproxy.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records = append(r.records, rec)
}

// recorded are the records so far.
func (r *rig) recorded() []*mcpproxy.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.records)
}

// setup is how a server of the rig is served.
type setup struct {
	name      string
	server    *mcp.Server
	stateless bool // speaks 2026-07-28, and grudgingly the older revisions
	modern    bool // speaks 2026-07-28 alone
	timeout   time.Duration
	garbles   [2]string   // what it writes instead of what
	left      chan string // hears "left" when an exchange is closed before its answer (modern)
}

// garbled answers as h does, but for what is replaced.
func garbled(h http.Handler, what [2]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = io.WriteString(w, strings.ReplaceAll(answer.Body.String(), what[0], what[1]))
	})
}

// serve returns the server's HTTP handler.
func (s setup) serve() http.Handler {
	var h http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.server }, &mcp.StreamableHTTPOptions{Stateless: s.stateless || s.modern})
	if s.garbles[0] != "" {
		h = garbled(h, s.garbles)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.modern && r.Header.Get(wire.HeaderVersion) != wire.Latest {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"only 2026-07-28 is spoken here"}}`))
			return
		}
		if s.left != nil {
			defer context.AfterFunc(r.Context(), func() { s.left <- "left" })()
		}
		h.ServeHTTP(w, r)
	})
}

// tables are the default policy.
func tables() policy.Tables {
	return policy.Tables{InternalToExternal: mcpproxy.Ask, SensitiveDataExternal: mcpproxy.Deny,
		Operations: map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Destructive: mcpproxy.Deny}}
}

func settings(t policy.Tables) gate.Settings {
	return gate.Settings{Classifier: classify.Classifier{DefaultUnknown: mcpproxy.Internal},
		Tables: t, Detector: detector(), Content: gate.ContentClean, MaxResponseSize: 65536}
}

// newRig starts a gateway in front of the given servers and waits until their
// tools are known.
func newRig(t *testing.T, servers ...setup) *rig {
	t.Helper()
	return newRigWith(t, nil, servers...)
}

// newRigWith does so with a screen, unless it is nil.
func newRigWith(t *testing.T, screen gateway.Screen, servers ...setup) *rig {
	t.Helper()
	r := &rig{t: t, catalog: catalog.New(), up: map[string]*mcp.Server{}}
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	tracker := flow.New(sessions, flow.Limits{Enabled: true, MaxOrigins: 10000, MinLength: 20, MaxBytes: 65536})
	r.tracker = tracker
	r.sessions, r.links = sessions, flow.NewCorrelator(tracker, 5*time.Second)
	g := gate.New(tracker, r, nil, settings(tables()))
	r.gate, r.servers = g, upstream.NewManager(r.changed, r.heard)
	r.gateway = gateway.New(g, r.servers, r.catalog, r.links, gateway.Options{APIKey: "key"})
	if screen != nil {
		r.gateway.UseScreen(screen)
	}
	front := httptest.NewServer(gateway.Guard(func() string { return "127.0.0.1:0" }, r.gateway))
	r.url = front.URL
	t.Cleanup(func() {
		r.gateway.Close()
		front.CloseClientConnections()
		front.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		r.servers.Close(ctx)
		sessions.Close()
	})
	var specs []upstream.Spec
	for _, s := range servers {
		back := httptest.NewServer(s.serve())
		t.Cleanup(func() { back.CloseClientConnections(); back.Close() })
		specs = append(specs, upstream.Spec{Name: s.name, Enabled: true, Protocol: upstream.HTTP, URL: back.URL, Timeout: s.timeout})
		r.up[s.name] = s.server
	}
	r.servers.Apply(specs)
	r.until("every server's tools are listed", func() bool {
		for _, s := range servers {
			if len(r.catalog.Of(s.name)) == 0 {
				return false
			}
		}
		return true
	})
	return r
}

func (r *rig) changed(s *upstream.Server) {
	if s.Status().State == upstream.Ready {
		go r.refresh(s)
	}
}

func (r *rig) heard(s *upstream.Server, m *wire.Message) {
	if m.Method == "notifications/tools/list_changed" {
		go r.refresh(s)
	}
	r.gateway.Heard(s.Name(), m)
}

func (r *rig) refresh(s *upstream.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	tools, err := s.ListTools(ctx)
	if err != nil {
		return
	}
	if changed, _ := r.catalog.Set(s.Name(), tools); changed {
		r.gateway.ToolsChanged()
	}
}

const patience = 60 * time.Second

// until waits for a condition.
func (r *rig) until(what string, condition func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("after %s it is still not so that %s", patience, what)
		}
	}
}
