package upstream_test

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/upstream"
)

// Shows: GW-22.
func TestNoCredentialGoesOutInTheClear(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64 // requests at a proxy that would receive the credentials
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen.Add(1) }))
	defer proxy.Close()
	for name, c := range map[string]struct {
		url, header string
		refused     bool
	}{
		"a token to another machine":    {"http://mcp.example.invalid/mcp", "Authorization", true},
		"a key to another machine":      {"http://192.0.2.1/mcp", "X-Api-Key", true},
		"a password in the address":     {"http://user:pass@mcp.example.invalid/mcp", "X-Tenant", true},
		"nothing secret goes out there": {"http://mcp.example.invalid/mcp", "X-Tenant", false},
	} {
		t.Run(name, func(t *testing.T) {
			before := seen.Load()
			s, _ := start(t, upstream.Spec{
				Name:     "plain",
				Enabled:  true,
				Protocol: upstream.HTTP,
				URL:      c.url,
				Proxy:    proxy.URL,
				Headers:  map[string]string{c.header: "x"},
			})
			_, err := s.Shared(t.Context())
			if err == nil {
				t.Fatal("connected")
			}
			if c.refused != strings.Contains(err.Error(), "without encryption") ||
				c.refused != (seen.Load() == before) {
				t.Errorf("%v; %d requests went out", err, seen.Load()-before)
			}
		})
	}
}

func TestLoopbackNeedsNoEncryptionAndNoProxy(t *testing.T) {
	t.Parallel()
	spec := startWeb(t, &web{}) // which requires a token
	spec.Proxy = "http://192.0.2.1:1"
	spec.URL = strings.Replace(spec.URL, "127.0.0.1", "localhost", 1)
	s, _ := start(t, spec)
	works(t, s)
}

func TestTLSSettings(t *testing.T) {
	t.Parallel()
	w := &web{live: map[string]bool{}}
	back := httptest.NewUnstartedServer(w)
	back.TLS = &tls.Config{MaxVersion: tls.VersionTLS12}
	back.StartTLS()
	t.Cleanup(func() {
		back.CloseClientConnections()
		back.Close()
	})
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(
		ca,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: back.Certificate().Raw}),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	junk := filepath.Join(t.TempDir(), "junk.pem")
	if err := os.WriteFile(junk, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tls  *upstream.TLS
		says string // part of the error; "" if the connection succeeds
	}{
		"an unknown authority is not believed":         {nil, "certificate"},
		"a named one is":                               {&upstream.TLS{CAFile: ca}, ""},
		"under another name it is not":                 {&upstream.TLS{CAFile: ca, ServerName: "other.test"}, "other.test"},
		"under the name of its certificate it is":      {&upstream.TLS{CAFile: ca, ServerName: "example.com"}, ""},
		"a version that the server lacks":              {&upstream.TLS{CAFile: ca, MinVersion: tls.VersionTLS13}, "protocol version"},
		"on this machine anything can be believed":     {&upstream.TLS{Insecure: true}, ""},
		"a file that is not there":                     {&upstream.TLS{CAFile: ca + ".not"}, "tls.ca_file"},
		"a file without certificates":                  {&upstream.TLS{CAFile: junk}, "holds no certificate"},
		"a certificate of one's own that is not there": {&upstream.TLS{CAFile: ca, CertFile: junk, KeyFile: junk}, "tls.cert_file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := start(t, upstream.Spec{
				Name:     "tls",
				Enabled:  true,
				Protocol: upstream.HTTP,
				URL:      back.URL,
				TLS:      c.tls,
				Headers:  map[string]string{"Authorization": "Bearer configured"},
			})
			_, err := s.Shared(t.Context())
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSizesOfAnswers(t *testing.T) {
	t.Parallel()
	const limit = 8 << 10
	image := func(n int) string {
		return fmt.Sprintf(
			`{"type":"image","mimeType":"image/png","data":%q}`,
			base64.StdEncoding.EncodeToString(make([]byte, n)),
		)
	}
	words := func(n int) string { return fmt.Sprintf(`{"type":"text","text":%q}`, strings.Repeat("x", n)) }
	blob := func(n int) string {
		return fmt.Sprintf(
			`{"type":"resource","resource":{"uri":"a:b","blob":%q}}`,
			base64.StdEncoding.EncodeToString(make([]byte, n)),
		)
	}
	for name, c := range map[string]struct {
		content string
		large   bool
	}{
		"text within its limit":                       {words(15 << 10), false},
		"text over its limit, for the caller to page": {words(17 << 10), false},
		"text over the limit of all pages":            {words(25 << 10), true},
		"an image within its limit":                   {image(7 << 10), false},
		"an image over its limit":                     {image(9 << 10), true},
		"two images over the limit together":          {image(5<<10) + "," + image(5<<10), true},
		"an embedded file over its limit":             {blob(9 << 10), true},
		"text and an image, each within its own":      {words(15<<10) + "," + image(7<<10), false},
		"data of a tool's own making is text":         {`{"type":"text","text":"","data":"` + strings.Repeat("y", 15<<10) + `"}`, false},
		"far too much, which is not read to its end":  {words(1 << 20), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var req request
				switch {
				case r.Method != http.MethodPost || readJSON(r, &req) != nil || req.Method == "server/discover":
					w.WriteHeader(http.StatusMethodNotAllowed)
				case req.Method == "initialize":
					answerJSON(w, 200, req, `{"protocolVersion":"2025-11-25","capabilities":{}}`)
				case req.ID == nil:
					w.WriteHeader(http.StatusAccepted)
				default:
					answerJSON(w, 200, req, `{"content":[`+c.content+`]}`)
				}
			}))
			t.Cleanup(func() {
				back.CloseClientConnections()
				back.Close()
			})
			s, _ := start(t, upstream.Spec{
				Name:     "big",
				Enabled:  true,
				Protocol: upstream.HTTP,
				URL:      back.URL,
				Timeout:  patience,
				Sizes:    upstream.Sizes{Text: 2 * limit, Paged: 3 * limit, Binary: limit},
			})
			err := once(t.Context(), s)
			var want mcpproxy.Code
			if c.large {
				want = mcpproxy.CodeTooLarge
			}
			if codeOf(err) != want {
				t.Errorf("got %v", err)
			}
			if s.Status().Faults != 0 {
				t.Error("an answer that is too large counts as a fault")
			}
		})
	}
}
