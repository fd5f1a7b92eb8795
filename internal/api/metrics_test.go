package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"mcpproxy/internal/api"
	"mcpproxy/internal/door"
)

// Metrics name servers and tools: this machine reads them as it is, others need
// the key.
func TestWhoReadsTheMetrics(t *testing.T) {
	h := api.Handler(api.Sources{Door: door.New(func() string { return key }, nil), Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("figures")) })})
	for name, c := range map[string]struct {
		from, header string
		want         int
	}{
		"this machine":                   {"127.0.0.1:5", "", 200},
		"this machine over IPv6":         {"[::1]:5", "", 200},
		"this machine in IPv6's form":    {"[::ffff:127.0.0.1]:5", "", 200},
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
