package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"testing"
)

func TestAServerOfOneEraServesClientsOfTheOther(t *testing.T) {
	for _, c := range []struct {
		name     string
		server   func(*testing.T) string
		revision string // of the client
		required int
	}{
		{"a-modern-client-of-a-legacy-server", func(t *testing.T) string { return "http://" + fixture(t, stateful) + "/mcp" }, stateless, 37},
		{"a-legacy-client-of-a-modern-server", modernOnly, stateful, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := start(t, httpServer("fixture", c.server(t)))
			got := judge(t, d.url("/mcp/s/fixture"), c.revision)
			impossible := exceptions(t, "conformance-crossed.txt", c.name)
			// The reverse proxy that plays the modern-only server now and then loses
			// part of a stream, on a busy machine: what fails is judged again.
			for range 2 {
				if !slices.ContainsFunc(got.failed(), func(n string) bool { return !slices.Contains(impossible, n) }) {
					break
				}
				for name, passed := range judge(t, d.url("/mcp/s/fixture"), c.revision) {
					got[name] = got[name] || passed
				}
			}
			for _, name := range got.failed() {
				if !slices.Contains(impossible, name) {
					t.Errorf("%s failed, and is not known to be impossible", name)
				}
			}
			for _, name := range impossible {
				if passed, ran := got[name]; passed || !ran {
					t.Errorf("%s is listed as impossible, but passed or did not run: take it off the list", name)
				}
			}
			if len(got) != c.required {
				t.Errorf("%d scenarios were scored, want %d", len(got), c.required)
			}
		})
	}
}

// modernOnly is the fixture without its older side: what does not name the
// newest revision is answered as by a server that knows no other.
func modernOnly(t *testing.T) string {
	t.Helper()
	target := &url.URL{Scheme: "http", Host: fixture(t, stateless)}
	forward := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = target.Host
	}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") == stateless {
			forward.ServeHTTP(w, r)
			return
		}
		id := json.RawMessage("null")
		var m rpc
		if json.NewDecoder(r.Body).Decode(&m) == nil && m.ID != nil {
			id = m.ID
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, id)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}
