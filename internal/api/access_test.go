package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// keyed are all routes that read something.
var keyed = []string{
	"/api/v1/status",
	"/api/v1/activity",
	"/api/v1/activity/summary",
	"/api/v1/activity/export",
	"/api/v1/activity/x",
	"/api/v1/servers",
	"/api/v1/servers/notes/tools",
	"/api/v1/servers/notes/logs",
	"/api/v1/tools",
	"/api/v1/sessions",
	"/api/v1/sessions/x/flow",
	"/events",
	"/api/v1/nothing",
	"/",
}

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
