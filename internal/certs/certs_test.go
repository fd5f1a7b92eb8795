package certs_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"mcpproxy/internal/certs"
	"mcpproxy/internal/certs/certstest"
)

// serve listens with the source's certificates. It returns the address as https://localhost:port.
func serve(t *testing.T, s certs.Source) string {
	t.Helper()
	door, err := s.Server()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Protocol", r.Proto)
	}))
	server.TLS = door.Config()
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return "https://localhost:" + u.Port()
}

// ask makes a request on a connection of its own.
func ask(t *testing.T, settings *tls.Config, address string) (*http.Response, error) {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: settings, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get(address)
	if err == nil {
		resp.Body.Close()
	}
	return resp, err
}

func believing(t *testing.T, file string) *tls.Config {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(raw) {
		t.Fatalf("%s holds no certificate", file)
	}
	return &tls.Config{RootCAs: pool}
}

func TestTheOwnAuthorityIsTrustedForLocalhostAndKeptForTheNextStart(t *testing.T) {
	s := certs.Source{Local: true, Folder: t.TempDir()}
	address := serve(t, s)
	resp, err := ask(t, believing(t, s.AuthorityPath()), address)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Header.Get("Protocol"); got != "HTTP/2.0" {
		t.Errorf("the protocol is %s, want HTTP/2.0", got)
	}
	client, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(s.AuthorityPath())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, client, serve(t, s)); err != nil {
		t.Errorf("after another start the authority is not believed: %v", err)
	}
	if after, _ := os.ReadFile(s.AuthorityPath()); string(after) != string(before) {
		t.Error("another start made another authority")
	}
	info, err := os.Stat(strings.TrimSuffix(s.AuthorityPath(), "ca.pem") + "ca-key.pem")
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's mode is %v (%v), want 0600", info.Mode(), err)
	}
}

func TestTheOwnAuthorityVouchesForNoOtherHost(t *testing.T) {
	s := certs.Source{Local: true, Folder: t.TempDir()}
	if _, err := s.Server(); err != nil {
		t.Fatal(err)
	}
	c, err := s.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	if !c.PermittedDNSDomainsCritical || len(c.PermittedDNSDomains) != 1 || c.PermittedDNSDomains[0] != "localhost" {
		t.Errorf("the certificate permits %v (critical: %t)", c.PermittedDNSDomains, c.PermittedDNSDomainsCritical)
	}
	if len(c.PermittedIPRanges) != 2 {
		t.Errorf("the certificate permits the addresses %v", c.PermittedIPRanges)
	}
}

func TestOldVersionsOfTLSAreRefused(t *testing.T) {
	s := certs.Source{Local: true, Folder: t.TempDir()}
	address := serve(t, s)
	old := believing(t, s.AuthorityPath())
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	if _, err := ask(t, old, address); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
}

func TestAChangedFileIsUsedFromTheNextConnectionOn(t *testing.T) {
	first, second := certstest.New(t), certstest.New(t)
	certFile, keyFile := first.Server("localhost")
	s := certs.Source{CertFile: certFile, KeyFile: keyFile}
	address := serve(t, s)
	if _, err := ask(t, believing(t, first.File), address); err != nil {
		t.Fatal(err)
	}
	replace(t, certFile, "damaged")
	if _, err := ask(t, believing(t, first.File), address); err != nil {
		t.Errorf("a damaged file ended the listener: %v", err)
	}
	nextCert, nextKey := second.Server("localhost")
	for from, to := range map[string]string{nextCert: certFile, nextKey: keyFile} {
		raw, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		replace(t, to, string(raw))
	}
	if _, err := ask(t, believing(t, second.File), address); err != nil {
		t.Errorf("the new certificate is not shown: %v", err)
	}
	pinned, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, pinned, address); err != nil {
		t.Errorf("the client of this machine does not believe the file: %v", err)
	}
}

func replace(t *testing.T, path, content string) {
	t.Helper()
	next := path + ".next" // a file of its own: never half of two
	if err := os.WriteFile(next, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
}

func TestTheClientOfThisMachineTrustsOnlyTheListener(t *testing.T) {
	a := certstest.New(t)
	certFile, keyFile := a.Server("localhost")
	otherCert, otherKey := a.Server("localhost")
	address := serve(t, certs.Source{CertFile: otherCert, KeyFile: otherKey})
	pinned, err := certs.Source{CertFile: certFile, KeyFile: keyFile}.Client()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, pinned, address); err == nil || !strings.Contains(err.Error(), certFile) {
		t.Errorf("another certificate of the same authority is answered with %v", err)
	}
}

func TestAFileThatCannotBeUsedIsNamed(t *testing.T) {
	a := certstest.New(t)
	certFile, keyFile := a.Server("localhost")
	_, otherKey := a.Server("localhost")
	for name, s := range map[string]certs.Source{
		"a certificate that is not there": {CertFile: "/nowhere/cert.pem", KeyFile: keyFile},
		"a key of another certificate":    {CertFile: certFile, KeyFile: otherKey},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Server()
			if err == nil || !strings.Contains(err.Error(), ".pem") {
				t.Errorf("the error is %v, want one with the name of the file", err)
			}
		})
	}
}
