package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/trust"
)

// send posts a body with the key, unless headers contain another one.
func (r *rig) send(path, body string, header map[string]string) answer {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	req.Header.Set("Content-Type", "application/json")
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(raw)}
}

func TestDecisionsAboutDefinitions(t *testing.T) {
	r := newRig(t)
	const tools = "/api/v1/servers/notes/tools"
	steps := []struct {
		name, path, body string
		status           int
		says, state      string // state of the tool afterwards
	}{
		{
			"another form than the one looked at",
			tools + "/approve",
			`{"tools":["read_note"],"hash":"00000000"}`,
			409,
			"has changed since you looked",
			"quarantined",
		},
		{
			"an invalid hash",
			tools + "/approve",
			`{"tools":["read_note"],"hash":"0"}`,
			400,
			"too short",
			"quarantined",
		},
		{"nothing named", tools + "/approve", `{}`, 400, "name at least one", "quarantined"},
		{
			"one known and one unknown: none is approved",
			tools + "/approve",
			`{"tools":["read_note","ghost"]}`,
			404,
			"ghost",
			"quarantined",
		},
		{"an unknown server", "/api/v1/servers/ghost/tools/approve", `{"tools":["x"]}`, 404, "ghost", "quarantined"},
		{"a misspelt member", tools + "/approve", `{"tool":["read_note"]}`, 400, "tool", "quarantined"},
		{
			"a tool",
			tools + "/approve",
			`{"tools":["read_note"]}`,
			200,
			`"approved":[{"server":"notes","kind":"tool","name":"read_note"}]`,
			"approved",
		},
		{"blocked", tools + "/block", `{"tools":["read_note"],"reason":"no"}`, 200, `"blocked":[{`, "blocked"},
		{"everything blocked at once", tools + "/block", `{"all":true}`, 400, "name the definitions", "blocked"},
		{"all, which leaves what is blocked", tools + "/approve", `{"all":true}`, 200, "it is blocked", "blocked"},
		{"all and names", tools + "/approve", `{"all":true,"tools":["read_note"]}`, 400, "either", "blocked"},
		{"a server held", "/api/v1/servers/notes/quarantine", `{"reason":"odd"}`, 200, `"to":"quarantined"`, "blocked"},
		{"a server released", "/api/v1/servers/notes/unquarantine", ``, 200, `"to":"approved"`, "blocked"},
		{"a server held without a reason", "/api/v1/servers/notes/quarantine", ``, 200, `"to":"quarantined"`, "blocked"},
		{"an unknown server held", "/api/v1/servers/ghost/quarantine", `{}`, 404, "ghost", "blocked"},
	}
	for _, s := range steps {
		a := r.send(s.path, s.body, nil)
		if a.status != s.status || !strings.Contains(a.body, s.says) {
			t.Errorf("%s: %d %s", s.name, a.status, a.body)
		}
		if list := r.ask(tools, nil).body; !strings.Contains(list, `"state":"`+s.state+`"`) {
			t.Errorf("%s: afterwards %s", s.name, list)
		}
	}
}

func TestNobodyDecidesWithoutTheKeyOrFromAnotherSite(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/api/v1/servers/notes/tools/approve", "/api/v1/servers/notes/tools/block", "/api/v1/servers/notes/quarantine"} {
		if a := r.send(path, `{"tools":["read_note"]}`, map[string]string{"X-API-Key": "wrong"}); a.status != 401 {
			t.Errorf("%s with a wrong key: %d", path, a.status)
		}
		if a := r.send(
			path,
			`{"tools":["read_note"]}`,
			map[string]string{"Origin": "https://evil.example"},
		); a.status != 403 {
			t.Errorf("%s from another site: %d", path, a.status)
		}
	}
	if a := r.ask("/api/v1/servers/notes/tools", nil); !strings.Contains(a.body, `"state":"quarantined"`) {
		t.Errorf("it was decided all the same: %s", a.body)
	}
}

// The request waits for the first read of an unread server. A server that cannot be read is reported as such, not as
// one without waiting definitions.
func TestApprovingAllWaitsForTheFirstRead(t *testing.T) {
	const approve = "/api/v1/servers/notes/tools/approve"
	r := newRig(t)
	r.first = func(known *trust.Store) error {
		known.Observe("notes", trust.Prompt, []json.RawMessage{json.RawMessage(`{"name":"greet"}`)}, true)
		return nil
	}
	if a := r.send(approve, `{"new":true}`, nil); a.status != 200 || !strings.Contains(a.body, "greet") ||
		!strings.Contains(a.body, "read_note") {
		t.Errorf("what the server declares: %d %s", a.status, a.body)
	}
	r.first = func(*trust.Store) error { return mcpproxy.Errorf(mcpproxy.CodeTimeout, nil, "notes could not be read") }
	if a := r.send(approve, `{"new":true}`, nil); a.status != 503 || !strings.Contains(a.body, "notes could not be read") {
		t.Errorf("a server that cannot be read: %d %s", a.status, a.body)
	}
}
