package gateway_test

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

func TestMain(m *testing.M) {
	if os.Getenv(counterVariable) != "" {
		count(os.Stdin, os.Stdout)
		return
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

// rig is a gateway with everything behind it, as the daemon wires it.
type rig struct {
	t       testing.TB
	url     string
	gateway *gateway.Gateway
	gate    *gate.Gate
	catalog *catalog.Catalog
	servers *upstream.Manager

	sessions *memory.Store[*flow.Session]
	links    *flow.Correlator
	tracker  *flow.Tracker

	log *ledgertest.Memory
	up  map[string]*mcp.Server
}

// recorded returns the records so far.
func (r *rig) recorded() []*mcpproxy.Record { return r.log.Records() }

// setup says how a server of the rig is served.
type setup struct {
	name      string
	server    *mcp.Server
	stateless bool // prefers revision 2026-07-28 and also supports older ones
	modern    bool // supports only revision 2026-07-28
	timeout   time.Duration
	sizes     upstream.Sizes
	garbles   [2]string   // a text in its answers, and the text that replaces it
	left      chan string // gets "left" when an exchange is closed before its answer (modern)
	arrivals  *arrivals   // if not nil, records every request that reaches it
}

// garbled answers like h, with one text of the answer replaced.
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
	if s.arrivals != nil {
		h = s.arrivals.watching(h)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.modern && r.Header.Get(wire.HeaderVersion) != wire.Latest {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(
				[]byte(
					`{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"only 2026-07-28 is spoken here"}}`,
				),
			)
			return
		}
		if s.left != nil {
			defer context.AfterFunc(r.Context(), func() { s.left <- "left" })()
		}
		h.ServeHTTP(w, r)
	})
}

// tables returns the default policy.
func tables() policy.Tables {
	return policy.Tables{InternalToExternal: mcpproxy.Ask, SensitiveDataExternal: mcpproxy.Deny,
		Operations: map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Destructive: mcpproxy.Deny}}
}

func settings(t policy.Tables) gate.Settings {
	return gate.Settings{
		Classifier:      classify.Classifier{DefaultUnknown: mcpproxy.Internal},
		Tables:          t,
		Detector:        gatetest.Detector(),
		Content:         gate.ContentClean,
		MaxResponseSize: 65536,
	}
}

// newRig starts a gateway in front of the given servers and waits until their
// tools are known.
func newRig(t testing.TB, servers ...setup) *rig {
	t.Helper()
	return newRigWith(t, nil, servers...)
}

// newRigWith is newRig with a definition filter, which may be nil.
func newRigWith(t testing.TB, filter gateway.DefinitionFilter, servers ...setup) *rig {
	t.Helper()
	gated := gatetest.New(t, gatetest.WithSettings(settings(tables())))
	r := &rig{
		t:        t,
		gate:     gated.Gate,
		tracker:  gated.Tracker,
		sessions: gated.Sessions,
		links:    gated.Links,
		log:      gated.Log,
		catalog:  catalog.New(),
		up:       map[string]*mcp.Server{},
	}
	r.servers = upstream.NewManager(r.changed, r.heard)
	r.gateway = gateway.New(r.gate, r.servers, r.catalog, r.links, gateway.Options{APIKey: "key"})
	if filter != nil {
		r.gateway.UseDefinitionFilter(filter)
	}
	front := httptest.NewServer(
		gateway.Bodies(gateway.TCPBodies, gateway.Guard(func() []string { return []string{"127.0.0.1:0"} }, nil, r.gateway)),
	)
	r.url = front.URL
	var specs []upstream.Spec
	for _, s := range servers {
		back := httptest.NewServer(s.serve())
		t.Cleanup(func() { back.CloseClientConnections(); back.Close() })
		specs = append(specs, upstream.Spec{
			Name:     s.name,
			Enabled:  true,
			Protocol: upstream.HTTP,
			URL:      back.URL,
			Timeout:  s.timeout,
			Sizes:    s.sizes,
		})
		r.up[s.name] = s.server
	}
	// The gateway must end before its servers: it would reopen their links, and their end would wait for those.
	t.Cleanup(func() {
		r.gateway.Close()
		front.CloseClientConnections()
		front.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		r.servers.Close(ctx)
	})
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
	r.gateway.Notified(s.Name(), m)
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
	eventually.True(r.t, what, condition)
}
