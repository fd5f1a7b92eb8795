package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// keyed are all routes that read something.
var keyed = []string{"/api/v1/status", "/api/v1/activity", "/api/v1/activity/summary", "/api/v1/activity/export", "/api/v1/activity/x",
	"/api/v1/servers", "/api/v1/servers/notes/tools", "/api/v1/servers/notes/logs", "/api/v1/tools", "/api/v1/sessions", "/api/v1/sessions/x/flow",
	"/events", "/api/v1/nothing", "/"}

func TestNobodyReadsWithoutTheKey(t *testing.T) {
	r := newRig(t, some()...)
	for name, header := range map[string]map[string]string{
		"no key":           {"X-API-Key": ""},
		"a wrong key":      {"X-API-Key": "the-kez"},
		"a longer key":     {"X-API-Key": key + "x"},
		"a wrong bearer":   {"X-API-Key": "", "Authorization": "Bearer no"},
		"another scheme":   {"X-API-Key": "", "Authorization": "Basic " + key},
		"the key in a URL": {"X-API-Key": ""},
	} {
		for _, path := range keyed {
			if strings.Contains(name, "URL") {
				path += "?api_key=" + key + "&apikey=" + key
			}
			a := r.ask(path, header)
			if a.status != http.StatusUnauthorized {
				t.Errorf("%s: %s answers %d: %.100s", name, path, a.status, a.body)
				continue
			}
			if msg := a.failure(t); strings.Contains(msg, key) {
				t.Errorf("the refusal tells the key: %s", msg)
			}
		}
	}
}

func TestTheKeyOpensAsHeaderAndAsBearer(t *testing.T) {
	r := newRig(t)
	for name, header := range map[string]map[string]string{
		"as X-API-Key": nil, "as a bearer token": {"X-API-Key": "", "Authorization": "Bearer " + key},
		"not at all, over the owner's socket": {"X-API-Key": "", "X-Test-Socket": "1"},
	} {
		if a := r.ask("/api/v1/status", header); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

func TestForeignPagesAreRefusedBeforeAnythingElse(t *testing.T) {
	r := newRig(t)
	for name, header := range map[string]map[string]string{
		"a foreign Host":         {"Host": "evil.example"},
		"a foreign Origin":       {"Origin": "https://evil.example"},
		"an Origin without name": {"Origin": "null"},
		"a foreign Host, no key": {"Host": "evil.example", "X-API-Key": ""},
	} {
		for _, path := range append([]string{"/healthz", "/openapi.json"}, keyed...) {
			if a := r.ask(path, header); a.status != http.StatusForbidden {
				t.Errorf("%s: %s answers %d", name, path, a.status)
			}
		}
	}
}

func TestHealthNeedsNoKey(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := r.ask(path, map[string]string{"X-API-Key": ""}); a.status != http.StatusOK || a.body != "ok\n" {
			t.Errorf("%s: %d %q", path, a.status, a.body)
		}
	}
}

// described is the OpenAPI document.
type described struct {
	Paths map[string]map[string]struct {
		OperationID string
		Parameters  []struct {
			Name, In string
			Required bool
		}
		Responses map[string]any
	}
	Components struct{ SecuritySchemes map[string]any }
}

func (r *rig) document() described {
	var d described
	a := r.ask("/openapi.json", map[string]string{"X-API-Key": ""})
	if err := json.Unmarshal([]byte(a.body), &d); err != nil || a.status != http.StatusOK {
		r.t.Fatalf("status %d, %v", a.status, err)
	}
	return d
}

func TestTheDocumentListsEveryRoute(t *testing.T) {
	d := newRig(t).document()
	for _, path := range []string{"/api/v1/activity", "/api/v1/activity/export", "/api/v1/activity/summary", "/api/v1/activity/{id}",
		"/api/v1/servers", "/api/v1/servers/{name}/logs", "/api/v1/servers/{name}/tools", "/api/v1/sessions", "/api/v1/sessions/{id}/flow", "/api/v1/status", "/api/v1/tools", "/events"} {
		if _, ok := d.Paths[path]["get"]; !ok {
			t.Errorf("GET %s is served and not described", path)
		}
	}
	if len(d.Components.SecuritySchemes) == 0 {
		t.Error("the document does not say that a key is wanted")
	}
}

// Every described operation answers, with and without sensible values.
func TestEveryDescribedOperationAnswers(t *testing.T) {
	records := some()
	r := newRig(t, records...)
	for path, methods := range r.document().Paths {
		for method, op := range methods {
			if method != "get" || strings.HasSuffix(path, "events") {
				continue
			}
			t.Run(path, func(t *testing.T) {
				good := strings.NewReplacer("/sessions/{id}", "/sessions/mcp:local:one", "{id}", records[1].ID, "{name}", "notes", "{tool}", "read_note", "{field}", "server").Replace(path)
				if a := r.ask(good, nil); a.status != http.StatusOK {
					t.Errorf("%s answers %d: %s", good, a.status, a.body)
				}
				if strings.Contains(path, "{field}") {
					return // its values are listed
				}
				if bad := strings.NewReplacer("{id}", "ghost", "{name}", "ghost").Replace(path); bad != path {
					a := r.ask(bad, nil)
					if msg := a.failure(t); a.status != http.StatusNotFound || !strings.Contains(msg, "ghost") {
						t.Errorf("%s answers %d: %s", bad, a.status, msg)
					}
				}
				for _, p := range op.Parameters {
					if p.In != "query" {
						continue
					}
					a := r.ask(good+"?"+p.Name+"=%00%ff", nil)
					if a.status >= 500 {
						t.Errorf("%s with a broken %s answers %d: %s", good, p.Name, a.status, a.body)
					}
				}
			})
		}
	}
}
