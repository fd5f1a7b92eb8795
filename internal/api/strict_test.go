package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Every route of the document refuses an unsupported method, an unknown member, and a repeated member. The payloads of
// hooks are exempt, because agents define them.
func TestEveryRouteIsStrict(t *testing.T) {
	r := newRig(t)
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody *struct{} `json:"requestBody"`
		}
	}
	if err := json.Unmarshal([]byte(r.ask("/openapi.json", nil).body), &doc); err != nil {
		t.Fatal(err)
	}
	send := func(method, path, body string) (status int, header http.Header, answer string) {
		t.Helper()
		path = strings.NewReplacer("{name}", "notes", "{tool}", "read_note", "{id}", "x", "{field}", "server").
			Replace(path)
		req, err := http.NewRequestWithContext(t.Context(), method, r.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, resp.Header, string(got)
	}
	bodies := 0
	for path, methods := range doc.Paths {
		t.Run(path, func(t *testing.T) {
			status, header, got := send(http.MethodPatch, path, "{}")
			allowed := header.Get("Allow")
			if status != http.StatusMethodNotAllowed || allowed == "" {
				t.Errorf("PATCH is answered with %d, Allow %q: %s", status, allowed, got)
			}
			for method, op := range methods {
				if !strings.Contains(allowed, strings.ToUpper(method)) {
					t.Errorf("Allow lacks %s: %q", method, allowed)
				}
				if op.RequestBody == nil || path == "/api/v1/hooks/evaluate" {
					continue
				}
				bodies++
				for what, body := range map[string]string{"a member that does not exist": `{"nonsense": 1}`, "a member twice": `{"nonsense": 1, "nonsense": 2}`} {
					status, _, got := send(strings.ToUpper(method), path, body)
					if status != http.StatusBadRequest || !strings.Contains(got, "nonsense") {
						t.Errorf("%s is answered with %d: %s", what, status, got)
					}
					if what == "a member twice" && !strings.Contains(got, "twice") {
						t.Errorf("that it stands twice is not said: %s", got)
					}
				}
			}
		})
	}
	if bodies < 5 {
		t.Errorf("only %d routes take a body", bodies)
	}
}
