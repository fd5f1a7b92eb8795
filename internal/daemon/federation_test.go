package daemon

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/auth/oidc/oidctest"
	"mcpproxy/internal/certs/certstest"
	"mcpproxy/internal/config"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/remote"
)

// company is a daemon that admits users of an OpenID provider and holders of certificates.
type company struct {
	*locked
	path      string // path of the configuration
	provider  *oidctest.Provider
	authority *certstest.Authority // issues client certificates
	tls       *tls.Config          // trusts the listener's certificate
}

func newCompany(t *testing.T) *company {
	t.Helper()
	f := &company{
		locked:    &locked{t: t},
		path:      filepath.Join(t.TempDir(), "mcp_config.json"),
		provider:  oidctest.New(t),
		authority: certstest.New(t),
	}
	f.write(t.TempDir(), `{"developers": {"servers": ["github"]}}`)
	c, err := config.Load(t.Context(), f.path)
	if err != nil {
		t.Fatal(err)
	}
	f.log = c.LogPath()
	if f.Daemon, err = Start(t.Context(), f.path, c, func(*config.Config) {}); err != nil {
		t.Fatal(err)
	}
	transport, err := remote.Transport(c)
	if err != nil {
		t.Fatal(err)
	}
	f.tls = transport.TLSClientConfig
	return f
}

// write writes the configuration with these groups.
func (f *company) write(data, groups string) {
	f.t.Helper()
	text := fmt.Sprintf(`{
		"listen": "127.0.0.1:0", "data_dir": %q, "api_key": "k", "enable_socket": false,
		"tls": {"local": true, "client_ca": %q, "client_auth": "optional"},
		"auth": {
			"oidc": {"issuer": %q, "audience": %q, "groups": %s},
			"certificates": {"dns:ci.acme.example": {"operations": ["read"]}},
		},
	}`, data, f.authority.File, f.provider.Issuer, oidctest.Audience, groups)
	if err := os.WriteFile(f.path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// do sends a request with a bearer token and a certificate, each of which may be absent.
func (f *company) do(method, path, body, bearer string, cert *tls.Certificate) (*http.Response, string) {
	f.t.Helper()
	settings := f.tls.Clone()
	if cert != nil {
		settings.Certificates = []tls.Certificate{*cert}
	}
	req, err := http.NewRequestWithContext(f.t.Context(), method, "https://"+f.Address()+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	transport := &http.Transport{TLSClientConfig: settings, DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return resp, string(raw)
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func (f *company) initialize(bearer string, cert *tls.Certificate) int {
	f.t.Helper()
	resp, _ := f.do(http.MethodPost, "/mcp", hello, bearer, cert)
	return resp.StatusCode
}

func TestTheDaemonAdmitsPeopleOfTheProviderAndHoldersOfCertificates(t *testing.T) {
	f := newCompany(t)
	ci := f.authority.Client(time.Time{}, "ci.acme.example")
	www := f.authority.Client(time.Time{}, "www.acme.example")
	for name, c := range map[string]struct {
		bearer string
		cert   *tls.Certificate
		want   int
	}{
		"no credentials":                      {"", nil, 401},
		"a developer":                         {f.provider.Token(nil), nil, 200},
		"a person without groups":             {f.provider.Token(map[string]any{"groups": nil}), nil, 403},
		"an expired token":                    {f.provider.Token(map[string]any{"exp": 1}), nil, 401},
		"a certificate":                       {"", &ci, 200},
		"a certificate without a grant":       {"", &www, 403},
		"a developer at a machine":            {f.provider.Token(nil), &www, 200},
		"an expired token at one":             {f.provider.Token(map[string]any{"exp": 1}), &ci, 401},
		"the owner":                           {"k", nil, 200},
		"a certificate with an invalid token": {"x", &ci, 401},
	} {
		if got := f.initialize(c.bearer, c.cert); got != c.want {
			t.Errorf("%s: status %d, want %d", name, got, c.want)
		}
	}
	resp, _ := f.do(http.MethodPost, "/mcp", hello, "", nil)
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil || len(challenges) != 1 || challenges[0].Scheme != "bearer" {
		t.Fatalf("the challenge is %v (%v)", challenges, err)
	}
	transport := &http.Transport{TLSClientConfig: f.tls}
	defer transport.CloseIdleConnections()
	about, err := oauthex.GetProtectedResourceMetadata( // the message that agents get
		t.Context(),
		challenges[0].Params["resource_metadata"],
		"https://"+f.Address()+"/mcp",
		&http.Client{Transport: transport},
	)
	if err != nil || len(about.AuthorizationServers) != 1 || about.AuthorizationServers[0] != f.provider.Issuer {
		t.Errorf("the metadata is %+v (%v)", about, err)
	}
	if resp, _ := f.do(http.MethodGet, "/api/v1/status", "", f.provider.Token(nil), nil); resp.StatusCode != http.StatusForbidden {
		t.Errorf("the REST API answers a developer with %s, want 403", resp.Status)
	}
	f.provider.Rotate(false)
	f.provider.Down(true)
	resp, _ = f.do(http.MethodPost, "/mcp", hello, f.provider.Token(nil), nil)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("an outage is answered with %s, Retry-After %q", resp.Status, resp.Header.Get("Retry-After"))
	}
	named := map[string]bool{}
	for _, r := range f.refusals() {
		named[r.Principal] = true
	}
	if !named["oidc/ann"] {
		t.Errorf("the records of refusals name %v, want oidc/ann among them", named)
	}
}

func TestAChangedGroupCountsForTheNextRequest(t *testing.T) {
	f := newCompany(t)
	defer f.Close()
	token := f.provider.Token(nil)
	if got := f.initialize(token, nil); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	before := f.callers.auth.Granted([]string{auth.GroupGrant("developers")})
	if len(before) != 1 {
		t.Fatalf("the grants are %v", before)
	}
	f.write(f.Config().DataDir, `{"operators": {"servers": ["github"]}}`)
	f.reload(t.Context())
	eventually.True(t, "the person is refused", func() bool { return f.initialize(token, nil) == http.StatusForbidden })
}
