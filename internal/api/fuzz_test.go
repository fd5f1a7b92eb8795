package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcpproxy/internal/gateway"
)

// FuzzABody posts bodies to every operation that accepts one. No body may cause a server error, and every answer is
// JSON.
func FuzzABody(f *testing.F) {
	paths := []string{
		"/api/v1/hooks/evaluate?agent=claude-code",
		"/api/v1/policies/simulate",
		"/api/v1/servers/notes/tools/approve",
		"/api/v1/servers/notes/tools/block",
		"/api/v1/approvals",
		"/api/v1/approvals/01A/deny",
		"/api/v1/kill",
		"/api/v1/code/run",
		"/api/v1/tokens",
	}
	for i, body := range []string{
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`,
		`{"policy":{"security":{"tool_policy":{"destructive":"deny"}}},"since":"7d"}`,
		`{"tools":["read_note"]}`,
		`{"all":true}`,
		`{"id":"01A","decision":"approve"}`,
		`null`,
		`{"on":true}`,
		`{"code":"1","limits":{"timeout_ms":1}}`,
		`{"name":"ci","role":"agent","servers":["notes"],"expires":"1h"}`,
		`{"a":1,"a":2}`,
		"\xef\xbb\xbf{",
	} {
		f.Add(uint8(i), []byte(body))
	}
	h := gateway.Trust(newRig(f).api)
	f.Fuzz(func(t *testing.T, where uint8, body []byte) {
		path := paths[int(where)%len(paths)]
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(string(body)))
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code >= http.StatusInternalServerError || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s answers %d: %s", path, w.Code, w.Body)
		}
	})
}

// FuzzAQuery sends any query to every operation that reads the log. A query is either applied exactly or refused: a
// page is never longer than its limit, and its cursor leads to the next page.
func FuzzAQuery(f *testing.F) {
	paths := []string{
		"/api/v1/activity",
		"/api/v1/activity/summary",
		"/api/v1/activity/export",
		"/api/v1/tools",
		"/api/v1/policies/suggestions",
		"/api/v1/sessions",
	}
	for i, query := range []string{
		"limit=2&order=asc&cursor=01JTEST0000000000000000002",
		"start_time=2026-01-31T15:04:05%2B02:00&type=tool_call,gap",
		"format=csv&include_flows=true",
		"q=note&limit=1000",
		"since=30d",
		"limit=%zz",
		"limit=1&limit=2",
		"cursor=%00;offset=-1",
	} {
		f.Add(uint8(i), query)
	}
	h := gateway.Trust(newRig(f, some()...).api)
	f.Fuzz(func(t *testing.T, where uint8, query string) {
		path := paths[int(where)%len(paths)]
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		req.URL.RawQuery = query
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Fatalf("%s?%s answers %d: %s", path, query, w.Code, w.Body)
		}
		var got struct {
			Error string
			Data  json.RawMessage
		}
		if !strings.HasSuffix(path, "export") && json.Unmarshal(w.Body.Bytes(), &got) != nil {
			t.Errorf("%s?%s is not answered with JSON: %s", path, query, w.Body)
		}
		var page struct {
			Activities []json.RawMessage
			Limit      int
		}
		if w.Code != http.StatusOK || path != "/api/v1/activity" {
			return
		}
		if err := json.Unmarshal(got.Data, &page); err != nil || page.Limit < 1 || page.Limit > 100 ||
			len(page.Activities) > page.Limit {
			t.Errorf("%s: %d records on a page of %d (%v)", query, len(page.Activities), page.Limit, err)
		}
	})
}
