package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcpproxy/internal/api"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/token"
)

func TestOnlyPublicOperationsNeedNoKey(t *testing.T) {
	operations(t, false, func(t *testing.T, r *rig, d openAPI, method, path string, o *operation) {
		for name, c := range map[string]struct {
			key  string
			want int
		}{
			"no key":           {"", 401},
			"a wrong key":      {"x", 401},
			"a revoked token":  {token.Prefix + "x", 401},
			"an agent's token": {r.agent, 403},
		} {
			a := r.request(method, o.url(t, path), o.body(t), map[string]string{"X-API-Key": c.key})
			if public, asks := o.public(); public && (c.key == "" || !asks) {
				if a.status != http.StatusOK {
					t.Errorf("%s: %d", name, a.status)
				}
				continue
			}
			if a.status != c.want {
				t.Errorf("%s: %d %.200s", name, a.status, a.body)
				continue
			}
			d.valid(t, name, o.Responses[fmt.Sprint(c.want)].Content["application/json"].Schema, []byte(a.body))
		}
	})
}

// An auditor can read everything except bodies, and can change nothing.
// Shows: RFC-31.
func TestAnAuditorCanOnlyRead(t *testing.T) {
	opened := 0
	operations(t, false, func(t *testing.T, r *rig, d openAPI, method, path string, o *operation) {
		if public, _ := o.public(); public {
			return
		}
		a := r.request(method, o.url(t, path), o.body(t), map[string]string{"X-API-Key": r.auditor})
		switch {
		case a.status == http.StatusForbidden:
			d.valid(t, "the refusal", o.Responses["403"].Content["application/json"].Schema, []byte(a.body))
		case a.status != http.StatusOK:
			t.Errorf("%d %s", a.status, a.body)
		case method != "get":
			t.Error("an auditor changes something")
		default:
			opened++
			if strings.Contains(a.body, `"arguments"`) || strings.Contains(a.body, `"response"`) ||
				strings.Contains(a.body, "[masked]") {
				t.Errorf("an auditor reads bodies: %s", a.body)
			}
		}
	})
	if opened < 10 {
		t.Errorf("an auditor reads %d things", opened)
	}
}

func TestEveryFormOfExportKeepsBodiesFromAuditors(t *testing.T) {
	r := documented(t)
	for _, format := range []string{"json", "jsonl", "csv"} {
		for who, secret := range map[string]bool{r.auditor: false, key: true} {
			a := r.ask("/api/v1/activity/export?include_flows=true&format="+format, map[string]string{"X-API-Key": who})
			if a.status != http.StatusOK || strings.Contains(a.body, "[masked]") != secret {
				t.Errorf("%s, with the owner's key %t: %d %s", format, secret, a.status, a.body)
			}
		}
	}
}

func TestRevokingEndsAnAuditorsStream(t *testing.T) {
	r := documented(t)
	lines, owners := r.streamAs(t.Context(), r.auditor, "/events"), r.stream(t.Context(), "/events")
	event(lines)
	event(owners)
	if err := r.tokens.Revoke("eve"); err != nil {
		t.Fatal(err)
	}
	for e := event(lines); e != ""; e = event(lines) { // the stream ends, or the test does
	}
	r.events.Publish("flow.alert", 1)
	if got := event(owners); got != "flow.alert 1" {
		t.Errorf("the owner's stream tells %q", got)
	}
}

func TestGuessesAreLimitedOverREST(t *testing.T) {
	r := documented(t)
	var last answer
	for i := range 30 {
		last = r.ask("/api/v1/status", map[string]string{"X-API-Key": fmt.Sprint("guess-", i)})
	}
	if last.status != http.StatusTooManyRequests || last.header.Get("Retry-After") == "" {
		t.Fatalf("%d %v", last.status, last.header)
	}
	last.failure(t)
	a := r.ask("/api/v1/status", map[string]string{"X-API-Key": "", "X-Test-Socket": "1"})
	if a.status != http.StatusOK {
		t.Errorf("the owner's socket is shut too: %d", a.status)
	}
}

func TestATokenIsShownOnce(t *testing.T) {
	r := documented(t)
	a := r.request("post", "/api/v1/tokens", []byte(`{"name":"x","servers":["notes"],"expires":"1h"}`), nil)
	var made api.MadeToken
	a.data(t, &made)
	if !strings.HasPrefix(made.Plain, token.Prefix) || made.Name != "x" || made.Expires == nil {
		t.Errorf("%+v", made)
	}
	list := r.ask("/api/v1/tokens", nil)
	if strings.Contains(list.body, made.Plain) || !strings.Contains(list.body, `"name":"x"`) {
		t.Errorf("the list is %s", list.body)
	}
	for body, want := range map[string]struct {
		status  int
		message string
	}{
		`{"name":"x"}`:                         {http.StatusConflict, "a token with this name exists"},
		`{"name":"y","servers":["nots"]}`:      {http.StatusBadRequest, `did you mean \"notes\"?`},
		`{"name":"y","tools":["ghost:x"]}`:     {http.StatusBadRequest, `ghost`},
		`{"name":"y","expires":"soon"}`:        {http.StatusBadRequest, "30d"},
		`{"name":"y","role":"admin"}`:          {http.StatusBadRequest, "role"},
		`{"name":"local"}`:                     {http.StatusBadRequest, "mcpproxy itself"},
		`{"name":"y","operations":["unlink"]}`: {http.StatusBadRequest, "unlink"},
	} {
		a := r.request("post", "/api/v1/tokens", []byte(body), nil)
		if a.status != want.status || !strings.Contains(a.body, want.message) {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	if a := r.request("delete", "/api/v1/tokens/x", nil, nil); a.status != http.StatusOK {
		t.Errorf("revoking: %d %s", a.status, a.body)
	}
	if a := r.ask("/api/v1/activity", map[string]string{"X-API-Key": made.Plain}); a.status != http.StatusUnauthorized {
		t.Errorf("the revoked token answers %d", a.status)
	}
}

// Agents cannot make requests that change something or that reach servers without the gate, even with the owner's key.
// The test fails for a new route until it is classified.
func TestAgentsMakeNoRequestThatDecides(t *testing.T) {
	harmless := map[string]string{
		"/api/v1/logout":            "ends what the owner opened",
		"/api/v1/policies/simulate": "computes, and changes nothing",
	}
	operations(t, false, func(t *testing.T, _ *rig, _ openAPI, method, path string, o *operation) {
		if method == "get" {
			return
		}
		refused := selfguard.Deciding("POST http://127.0.0.1:8080"+o.url(t, path)+" HTTP/1.1") != ""
		if why := harmless[path]; refused == (why != "") {
			t.Errorf("refused to agents: %t, and harmless for this reason: %q", refused, why)
		}
	})
}
