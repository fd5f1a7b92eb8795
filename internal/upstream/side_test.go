package upstream_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/upstream"
)

func keyBlock(t *testing.T, key any) *pem.Block {
	t.Helper()
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return &pem.Block{Type: "PRIVATE KEY", Bytes: raw}
}

func anywhere(*url.URL, netip.Addr) error { return nil }

func get(t *testing.T, way http.RoundTripper, address string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := way.RoundTrip(req)
	if err == nil {
		resp.Body.Close()
	}
	return err
}

func TestASideRequestVetsTheAddressBeforeItConnects(t *testing.T) {
	t.Parallel()
	back := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(back.Close)
	refused := errors.New("not there")
	var asked []string
	way := upstream.SideRequests(upstream.Spec{URL: "https://wiki.example/mcp"}, func(u *url.URL, ip netip.Addr) error {
		asked = append(asked, u.Hostname()+" "+ip.String())
		return refused
	})
	local := strings.Replace(back.URL, "127.0.0.1", "localhost", 1)
	if err := get(
		t,
		way,
		local,
	); !errors.Is(err, refused) || len(asked) != 2 || asked[0] != "localhost 127.0.0.1" ||
		asked[1] != "localhost ::1" {
		t.Errorf("got %v, asked about %q", err, asked)
	}
	if err := get(t, upstream.SideRequests(upstream.Spec{}, anywhere), back.URL); err != nil {
		t.Error(err)
	}
	if err := get(
		t,
		upstream.SideRequests(upstream.Spec{}, anywhere),
		"http://192.0.2.1/x",
	); err == nil ||
		!strings.Contains(err.Error(), "without encryption") {
		t.Errorf("in the clear: %v", err)
	}
}

// The address to which a proxy will connect is vetted where it is known.
func TestASideRequestThroughAProxy(t *testing.T) {
	t.Parallel()
	tunnels := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tunnels++
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(proxy.Close)
	refused := errors.New("not there")
	way := upstream.SideRequests(
		upstream.Spec{URL: "https://wiki.example/mcp", Proxy: proxy.URL},
		func(*url.URL, netip.Addr) error { return refused },
	)
	if err := get(t, way, "https://169.254.169.254/latest"); !errors.Is(err, refused) || tunnels != 0 {
		t.Errorf("an address: %v, %d tunnels", err, tunnels)
	}
	if err := get(t, way, "https://auth.example.invalid/"); err == nil || errors.Is(err, refused) || tunnels != 1 {
		t.Errorf("a name: %v, %d tunnels", err, tunnels)
	}
}

// The TLS settings of a server apply to its own host. At other hosts only its certificate authorities are used.
func TestASideRequestElsewhereShowsNoCertificate(t *testing.T) {
	t.Parallel()
	shown := -1
	back := httptest.NewUnstartedServer(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown = len(r.TLS.PeerCertificates) }),
	)
	back.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	back.StartTLS()
	t.Cleanup(back.Close)
	dir := t.TempDir()
	file := func(name string, blocks ...*pem.Block) string {
		var raw []byte
		for _, b := range blocks {
			raw = append(raw, pem.EncodeToMemory(b)...)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pair := back.TLS.Certificates[0]
	key := file("key.pem", keyBlock(t, pair.PrivateKey))
	ca := file("ca.pem", &pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	spec := upstream.Spec{URL: back.URL, TLS: &upstream.TLS{
		CAFile:     ca,
		CertFile:   ca,
		KeyFile:    key,
		ServerName: "example.com",
	}}
	if err := get(t, upstream.SideRequests(spec, anywhere), back.URL); err != nil || shown != 1 {
		t.Errorf("at the server itself: %v, %d certificates", err, shown)
	}
	spec.URL = "https://wiki.example/mcp"
	if err := get(t, upstream.SideRequests(spec, anywhere), back.URL); err != nil || shown != 0 {
		t.Errorf("elsewhere: %v, %d certificates", err, shown)
	}
	spec.TLS.ServerName = "other.example"
	if err := get(t, upstream.SideRequests(spec, anywhere), back.URL); err != nil {
		t.Errorf("the server's name was wanted of another host: %v", err)
	}
	spec.TLS = nil
	if err := get(t, upstream.SideRequests(spec, anywhere), back.URL); err == nil {
		t.Error("an unknown authority was believed")
	}
}
