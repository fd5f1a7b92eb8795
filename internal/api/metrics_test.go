package api_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"mcpproxy/internal/api"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/token"
)

// Metrics contain the names of servers and tools. This machine can read them without a key, others need the key, and
// an invalid token is refused even here.
func TestMetricsNeedAKeyExceptOnThisMachine(t *testing.T) {
	tokens, err := token.Open(filepath.Join(t.TempDir(), "tokens.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	plain := map[string]string{}
	for name, role := range map[string]token.Role{"ci": token.Agent, "eve": token.Auditor, "old": token.Auditor} {
		if plain[name], _, err = tokens.Create(token.Spec{Name: name, Role: role}); err != nil {
			t.Fatal(err)
		}
	}
	if err := tokens.Revoke("old"); err != nil {
		t.Fatal(err)
	}
	h := api.Handler(
		api.Sources{
			Auth: auth.New(func() string { return key }, tokens),
			Metrics: http.HandlerFunc(
				func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("figures")) },
			),
		},
	)
	for name, c := range map[string]struct {
		from, header string
		want         int
	}{
		"this machine":                   {"127.0.0.1:5", "", 200},
		"this machine over IPv6":         {"[::1]:5", "", 200},
		"this machine in IPv6's form":    {"[::ffff:127.0.0.1]:5", "", 200},
		"this machine with the key":      {"127.0.0.1:5", "Bearer " + key, 200},
		"this machine, with a wrong key": {"127.0.0.1:5", "Bearer x", 401},
		"a revoked token, from here":     {"127.0.0.1:5", "Bearer " + plain["old"], 401},
		"an agent's token, from here":    {"127.0.0.1:5", plain["ci"], 403},
		"an auditor's token, from here":  {"127.0.0.1:5", "Bearer " + plain["eve"], 200},
		"the network":                    {"192.0.2.1:5", "", 401},
		"the network with the key":       {"192.0.2.1:5", "Bearer " + key, 200},
		"the network with another key":   {"192.0.2.1:5", "Bearer x", 401},
		"an address that cannot be read": {"@", "", 401},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.RemoteAddr = c.from
			if c.header != "" {
				r.Header.Set("Authorization", c.header)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.want || (w.Body.String() == "figures") != (c.want == 200) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}
