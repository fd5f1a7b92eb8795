package upstream_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
)

// The address of a server may contain a key, so no error contains the address.
func TestErrorsDoNotRepeatTheAddress(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://other.example/?api_key=k3y-in-the-url", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(elsewhere.Close)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("event: endpoint\ndata: http://other.example/?api_key=k3y-in-the-url\n\n"))
	}))
	t.Cleanup(endpoint.Close)
	for name, spec := range map[string]upstream.Spec{
		"nobody listens, HTTP": {Protocol: upstream.HTTP, URL: "http://127.0.0.1:1/mcp?api_key=k3y-in-the-url"},
		"nobody listens, SSE":  {Protocol: upstream.SSE, URL: "http://127.0.0.1:1/sse?api_key=k3y-in-the-url"},
		"it does not hold":     {Protocol: upstream.HTTP, URL: "http://user:k3y-in-the-url@127.0.0.1:x/mcp"},
		"nor this one, SSE":    {Protocol: upstream.SSE, URL: "http://user:k3y-in-the-url@127.0.0.1:x/mcp"},
		"a proxy":              {Protocol: upstream.HTTP, URL: "http://192.0.2.1/mcp", Proxy: "http://user:k3y-in-the-url@127.0.0.1:x"},
		"a redirect":           {Protocol: upstream.HTTP, URL: elsewhere.URL + "/?api_key=k3y-in-the-url"},
		"another origin":       {Protocol: upstream.SSE, URL: endpoint.URL},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.Name = "fake"
			spec.Enabled = true
			spec.Timeout = patience
			s, _ := start(t, spec)
			if _, err := s.Shared(t.Context()); err == nil || strings.Contains(err.Error(), "k3y") {
				t.Errorf("the error is %v", err)
			}
			eventually.True(t, "the status has an error", func() bool { return s.Status().Error != "" })
			st := s.Status()
			said := st.Error
			if st.LastFault != nil {
				said += st.LastFault.Error
			}
			for _, l := range s.Logs() {
				said += l.Text
			}
			if strings.Contains(said, "k3y") {
				t.Errorf("it says %q", said)
			}
		})
	}
}
