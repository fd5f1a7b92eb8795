package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"mcpproxy/internal/gateway"
)

func TestGuardKeepsForeignPagesOut(t *testing.T) {
	own, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for name, c := range map[string]struct {
		host, origin string
		ok           bool
	}{
		"an agent":                              {"127.0.0.1:8080", "", true},
		"an agent by name":                      {"localhost:8080", "", true},
		"an agent by IPv6":                      {"[::1]:8080", "", true},
		"an agent of another machine":           {"192.168.1.7:8080", "", true},
		"an agent by this machine's name":       {own + ":8080", "", true},
		"an agent by the configured name":       {"Tools.Example:8080", "", true},
		"the page itself":                       {"127.0.0.1:8080", "http://127.0.0.1:8080", true},
		"a page of this machine":                {"localhost:8080", "http://localhost:3000", true},
		"a page of a name below localhost":      {"localhost:8080", "http://app.localhost", true},
		"the page on another machine":           {"192.168.1.7:8080", "http://192.168.1.7:8080", true},
		"a name that was rebound":               {"evil.example:8080", "", false},
		"a name that only begins like ours":     {"localhost.evil.example", "", false},
		"a name that only ends like ours":       {"evillocalhost", "", false},
		"a name with an address in it":          {"127.0.0.1.evil.example", "", false},
		"no name":                               {"", "", false},
		"a page elsewhere":                      {"127.0.0.1:8080", "https://evil.example", false},
		"a page of another machine":             {"127.0.0.1:8080", "http://192.168.1.9", false},
		"a page of another port over there":     {"192.168.1.7:8080", "http://192.168.1.7:9999", false},
		"a page without origin, such as a file": {"127.0.0.1:8080", "null", false},
		"a name below one of the certificate":   {"a.mcp.example:8080", "", true},
		"a name two labels below it":            {"a.b.mcp.example:8080", "", false},
		"an extension":                          {"127.0.0.1:8080", "chrome-extension://abcdef", false},
		"an invalid origin":                     {"127.0.0.1:8080", "http://", false},
		"an origin with our name as user":       {"127.0.0.1:8080", "http://localhost@evil.example", false},
	} {
		t.Run(name, func(t *testing.T) {
			reached := false
			h := gateway.Guard(
				func() []string { return []string{"*.mcp.example", "tools.example:8080"} },
				nil,
				http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }),
			)
			req := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("{}"))
			req.Host = c.host
			if c.origin != "" {
				req.Header.Set("Origin", c.origin)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			if reached != c.ok || !c.ok && w.Code != http.StatusForbidden {
				t.Errorf("let through: %t, status %d", reached, w.Code)
			}
			trusted := httptest.NewRecorder()
			reached = false
			if gateway.Trust(h).ServeHTTP(trusted, req); !reached {
				t.Error("over the owner's socket it is refused")
			}
		})
	}
}

func TestMCPWantsTheKeyWhenConfigured(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	a := &agent{t: t, url: r.url + "/mcp"}
	for name, c := range map[string]struct {
		require bool
		header  map[string]string
		status  int
	}{
		"no key, none wanted":              {false, nil, 200},
		"no key":                           {true, nil, 401},
		"a wrong key":                      {true, map[string]string{"X-API-Key": "kez"}, 401},
		"an empty key":                     {true, map[string]string{"X-API-Key": ""}, 401},
		"the key":                          {true, map[string]string{"X-API-Key": "key"}, 200},
		"the key as a bearer token":        {true, map[string]string{"Authorization": "Bearer key"}, 200},
		"the key in another scheme":        {true, map[string]string{"Authorization": "Basic key"}, 401},
		"a wrong key and the right bearer": {true, map[string]string{"X-API-Key": "no", "Authorization": "Bearer key"}, 401},
		"the key with something behind it": {true, map[string]string{"X-API-Key": "key2"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			r.gateway.Configure(gateway.Options{APIKey: "key", RequireAuth: c.require})
			body, header := a.message("1", "tools/list", `{}`, `{}`)
			for k, v := range c.header {
				header[k] = v
			}
			if x := a.send(body, header); x.resp.StatusCode != c.status {
				t.Errorf("status %d", x.resp.StatusCode)
			}
		})
	}
	r.gateway.Configure(gateway.Options{APIKey: "", RequireAuth: true})
	body, header := a.message("1", "tools/list", `{}`, `{}`)
	header["X-API-Key"] = ""
	if x := a.send(body, header); x.resp.StatusCode != 401 {
		t.Errorf("an empty key opens a gateway without one: %d", x.resp.StatusCode)
	}
}

func ExampleGuard() {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "welcome") })
	h := gateway.Guard(func() []string { return []string{"127.0.0.1:8080"} }, nil, page)
	for _, host := range []string{"127.0.0.1:8080", "evil.example"} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Println(host, w.Code)
	}
	// Output:
	// 127.0.0.1:8080 200
	// evil.example 403
}
