package daemon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
	"mcpproxy/internal/token"
)

// locked is a daemon in this process whose MCP endpoints require a key.
type locked struct {
	*Daemon
	t              *testing.T
	log            string // file of its activity log
	agent, auditor string // tokens of agents
}

func newLocked(t *testing.T) *locked {
	t.Helper()
	l := &locked{t: t}
	path := filepath.Join(t.TempDir(), "mcp_config.json")
	text := fmt.Sprintf(
		`{"listen": "127.0.0.1:0", "data_dir": %q, "api_key": "k", "require_mcp_auth": true, "enable_socket": false}`,
		t.TempDir(),
	)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	l.log = c.LogPath()
	if l.Daemon, err = Start(t.Context(), path, c, func(*config.Config) {}); err != nil {
		t.Fatal(err)
	}
	l.agent = l.token("ci", token.Agent)
	l.auditor = l.token("eve", token.Auditor)
	return l
}

func (l *locked) token(name string, role token.Role) string {
	l.t.Helper()
	plain, _, err := l.callers.tokens.Create(token.Spec{Name: name, Role: role})
	if err != nil {
		l.t.Fatal(err)
	}
	return plain
}

// send sends a request to the daemon and returns the status of the answer.
func (l *locked) send(method, path string, header map[string]string) int {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), method, "http://"+l.Address()+path, strings.NewReader("{}"))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if host := header["Host"]; host != "" {
		req.Host = host
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// refusals stops the daemon and returns the records of refused requests, oldest first.
func (l *locked) refusals() (all []*mcpproxy.Record) {
	l.t.Helper()
	l.Close()
	store, err := sqlite.Open(l.t.Context(), l.log)
	if err != nil {
		l.t.Fatal(err)
	}
	defer store.Close()
	q := ledger.Filter{Status: mcpproxy.StatusRejected, OldestFirst: true}
	err = store.Scan(l.t.Context(), q, func(r *mcpproxy.Record) error { all = append(all, r); return nil })
	if err != nil {
		l.t.Fatal(err)
	}
	return all
}

func TestEveryRefusedRequestLeavesARecord(t *testing.T) {
	const offered = "hunter2-offered-as-a-key"
	l := newLocked(t)
	cases := []struct {
		name, method, path string
		header             map[string]string
		status             int
		asked, principal   string
	}{
		{"MCP without a key", "POST", "/mcp", nil, 401, "an MCP endpoint", ""},
		{"one server with a wrong key", "POST", "/mcp/s/" + offered, map[string]string{"X-API-Key": offered + "1"}, 401, "an MCP endpoint", ""},
		{"MCP with a revoked token", "POST", "/mcp/all", map[string]string{"Authorization": "Bearer " + token.Prefix + offered}, 401, "an MCP endpoint", ""},
		{"MCP with an auditor's token", "POST", "/mcp", map[string]string{"X-API-Key": l.auditor}, 403, "an MCP endpoint", "eve"},
		{"the audit endpoint with an agent's token", "POST", "/mcp/audit", map[string]string{"X-API-Key": l.agent}, 403, "the audit endpoint", "ci"},
		{"REST without a key", "GET", "/api/v1/status", nil, 401, "the REST API", ""},
		{"REST with a wrong key in the path too", "GET", "/api/v1/" + offered + "?key=" + offered, map[string]string{"X-API-Key": offered}, 401, "the REST API", ""},
		{"REST with an agent's token", "GET", "/api/v1/activity", map[string]string{"X-API-Key": l.agent}, 403, "the REST API", "ci"},
		{"a change with an auditor's token", "POST", "/api/v1/kill", map[string]string{"X-API-Key": l.auditor}, 403, "the REST API", "eve"},
		{"hooks without a key", "POST", "/api/v1/hooks/evaluate", nil, 401, "hooks", ""},
		{"events without a key", "GET", "/events", nil, 401, "events", ""},
		{"metrics with a wrong key", "GET", "/metrics", map[string]string{"X-API-Key": offered}, 401, "metrics", ""},
		{"the page with an invalid login link", "POST", "/api/v1/login/exchange", map[string]string{"X-Mcpproxy-Login-Code": offered}, 401, "the REST API", ""},
		{"a foreign host", "GET", "/ui/", map[string]string{"Host": "evil.example"}, 403, "the page", ""},
		{"a foreign origin", "POST", "/mcp", map[string]string{"Origin": "https://evil.example"}, 403, "an MCP endpoint", ""},
		{"an unknown method", offered, "/api/v1/status", nil, 401, "the REST API", ""},
	}
	for _, c := range cases {
		if got := l.send(c.method, c.path, c.header); got != c.status {
			t.Errorf("%s: answered with %d", c.name, got)
		}
		l.gateManager.gate.CloseRejections() // the next refusal counts as the first of its kind again
	}
	all := l.refusals()
	if len(all) != len(cases) {
		t.Fatalf("%d records of %d refusals", len(all), len(cases))
	}
	for i, r := range all {
		c, d := cases[i], all[i].Metadata.Detail
		if r.Type != mcpproxy.RecordPolicyDecision || r.Decision != "" || r.ErrorMessage == "" ||
			r.Principal != c.principal || d["asked_for"] != c.asked || d["http_status"] != float64(c.status) ||
			d["address"] != "this machine" {
			t.Errorf("%s: %+v", c.name, r)
		}
		raw, err := json.Marshal(r)
		if err != nil || strings.Contains(string(raw), offered) || strings.Contains(string(raw), token.Prefix) {
			t.Errorf("%s: the record holds what was offered: %s %v", c.name, raw, err)
		}
	}
}

func TestManyRefusedRequestsAreCountedAndNotRecordedSingly(t *testing.T) {
	l := newLocked(t)
	const flood = 200
	l.send("GET", "/api/v1/status", map[string]string{"X-API-Key": l.agent})
	for i := range flood {
		l.send("POST", "/mcp", map[string]string{"X-API-Key": fmt.Sprintf("guess-%d", i)})
	}
	counted, kinds := 0.0, map[string]bool{}
	all := l.refusals()
	for _, r := range all {
		kinds[fmt.Sprint(r.Metadata.Detail["http_status"], r.Principal)] = true
		if n, ok := r.Metadata.Detail["left_out"].(float64); ok {
			counted += n
			if from, err := time.Parse(time.RFC3339Nano, fmt.Sprint(r.Metadata.Detail["from"])); err != nil || time.Since(from) > time.Hour {
				t.Errorf("the count begins at %v", r.Metadata.Detail["from"])
			}
			continue
		}
		counted++
	}
	if counted != flood+1 || len(all) > 5 {
		t.Errorf("%d records count %v of %d refusals", len(all), counted, flood+1)
	}
	for _, want := range []string{"401", "429", "403ci"} {
		if !kinds[want] {
			t.Errorf("no record is of %s: %v", want, kinds)
		}
	}
}
