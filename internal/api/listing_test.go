package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcpproxy/internal/api"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

func TestServersAndToolsAreListed(t *testing.T) {
	r := newRig(t, some()...)
	var servers []api.Server
	r.ask("/api/v1/servers", nil).data(t, &servers)
	if len(servers) != 1 || servers[0].Name != "notes" || servers[0].State != upstream.Disabled ||
		servers[0].Tools != 1 ||
		servers[0].Class.Side != "internal" {
		t.Errorf("servers: %+v", servers)
	}
	for _, path := range []string{"/api/v1/servers/notes/tools", "/api/v1/tools", "/api/v1/tools?q=read+a+note"} {
		var tools []api.Tool
		r.ask(path, nil).data(t, &tools)
		if len(tools) != 1 || tools[0].Server != "notes" || tools[0].Name != "read_note" ||
			tools[0].Operation != "read" {
			t.Errorf("%s: %+v", path, tools)
		}
	}
	var none []api.Tool
	if r.ask("/api/v1/tools?q=xylophone", nil).data(t, &none); len(none) != 0 {
		t.Errorf("found %+v", none)
	}
	var logs []upstream.LogLine
	if r.ask("/api/v1/servers/notes/logs", nil).data(t, &logs); len(logs) != 0 {
		t.Errorf("logs: %+v", logs)
	}
}

func TestSessionsAreListedWithoutThePrincipalsBucket(t *testing.T) {
	var sessions []api.Session
	newRig(t).ask("/api/v1/sessions", nil).data(t, &sessions)
	if len(sessions) != 1 || sessions[0].ID != "mcp:local:one" {
		t.Errorf("got %+v", sessions)
	}
}

// Shows: FR-083.
func TestStatusAddsUp(t *testing.T) {
	var st api.Overview
	newRig(t, some()...).ask("/api/v1/status", nil).data(t, &st)
	if st.Version != "test" || st.Records != 4 || st.Tools != 1 || st.Sessions != 1 || len(st.Servers) != 1 ||
		st.Coverage != "proxy_only" ||
		st.Hooks ||
		st.Listen != "127.0.0.1:8080" {
		t.Errorf("got %+v", st)
	}
}

func TestTheSummaryAddsUp(t *testing.T) {
	var sum ledger.Breakdown
	newRig(t, some()...).ask("/api/v1/activity/summary", nil).data(t, &sum)
	got := fmt.Sprint(sum.Total, sum.Status, sum.AtLeastRisk, sum.Blocked)
	if got != "4 map[blocked:1 error:1 rejected:0 success:2] map[critical:1 high:1 low:2 medium:2] 1" {
		t.Errorf("got %s", got)
	}
}

func TestAMissingResourceIsReportedInTheEnvelope(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/api/v1/nothing", "/nothing", "/api/v1/activity/x/y"} {
		if a := r.ask(path, nil); a.status != http.StatusNotFound {
			t.Errorf("%s answers %d", path, a.status)
		} else {
			a.failure(t)
		}
	}
}

func ExampleHandler() {
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	defer sessions.Close()
	h := api.Handler(api.Sources{
		Catalog:  catalog.New(),
		Sessions: sessions,
		Events:   api.NewEvents(),
		Auth:     auth.New(func() string { return "secret" }, nil),
		Servers:  upstream.NewManager(func(*upstream.Server) {}, func(*upstream.Server, *wire.Message) {}),
	})
	for _, key := range []string{"", "secret"} {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/servers", nil)
		r.Header.Set("X-API-Key", key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 401
	// 200
}
