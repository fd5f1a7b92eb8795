package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

func TestAServerOfOneEraServesClientsOfTheOther(t *testing.T) {
	for _, c := range []struct {
		name     string
		server   func(*testing.T) string
		revision string // revision of the client
		required int
	}{
		{"a-modern-client-of-a-legacy-server", func(t *testing.T) string { return "http://" + fixture(t, stateful) + "/mcp" }, stateless, 37},
		{"a-legacy-client-of-a-modern-server", modernOnly, stateful, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := startOpen(t, httpServer("fixture", c.server(t)))
			got := judge(t, d.url("/mcp/s/fixture"), c.revision)
			impossible := exceptions(t, "conformance-crossed.txt", c.name)
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

// modernOnly returns the fixture without the older era: a message that does not name the newest revision gets the
// answer of a server that knows no other revision.
func modernOnly(t *testing.T) string {
	t.Helper()
	target := "http://" + fixture(t, stateless)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") == stateless {
			forward(w, r, target)
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

// forward passes a request on, and the answer back. It reads the whole request body first. Otherwise a client that is
// still sending when the server begins to answer would lose the answer, as with the reverse proxy of the standard
// library.
func forward(w http.ResponseWriter, r *http.Request, target string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, target+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out.Header = r.Header.Clone()
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		_, _ = w.Write(buf[:n])
		_ = flush.Flush()
		if err != nil {
			return
		}
	}
}
