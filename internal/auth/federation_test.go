package auth

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/auth/oidc/oidctest"
	"mcpproxy/internal/token"
)

// federated is an authenticator that admits people of a provider and holders of certificates.
type federated struct {
	*rig
	remote *oidctest.Provider
}

func newFederated(t *testing.T) *federated {
	t.Helper()
	f := &federated{rig: newRig(t), remote: oidctest.New(t)}
	f.UseFederation(f.federation(oidctest.Audience))
	return f
}

func (f *federated) federation(audience string) *Federation {
	return &Federation{
		Provider: oidc.New(oidc.Settings{
			Issuer:         f.remote.Issuer,
			Audience:       audience,
			PrincipalClaim: "sub",
			GroupsClaim:    "groups",
		}),
		Grants: map[string]token.Scope{
			GroupGrant("developers"):               {Servers: []string{"github"}},
			GroupGrant("readers"):                  {Operations: []mcpproxy.Operation{mcpproxy.Read}},
			CertificateGrant("uri:spiffe://a/ci"):  {Servers: []string{"files"}},
			CertificateGrant("email:ann@acme.org"): {Servers: []string{"mail"}},
			CertificateGrant("dns:ci.acme.org"):    {Servers: []string{"files"}},
			CertificateGrant("cn:Ann Example"):     {Servers: []string{"notes"}},
		},
	}
}

// mcp returns a request to an MCP endpoint from another machine.
func mcp(header ...string) *http.Request {
	r := request("192.0.2.1:1", header...)
	r.URL = &url.URL{Path: "/mcp"}
	r.Host = "mcp.acme.org:8443"
	return r
}

func TestAPersonOfTheProviderIsAdmitted(t *testing.T) {
	f := newFederated(t)
	jwt := f.remote.Token(map[string]any{"groups": []string{"readers", "guests", "developers", "readers"}})
	id, refusal := f.Admit(mcp("Authorization", "Bearer "+jwt), false, false)
	if refusal != nil {
		t.Fatalf("refused: %+v", refusal)
	}
	if id.Principal != "oidc/ann" || id.Role != token.Agent || id.IsOwner() || id.Expires.IsZero() || id.Local {
		t.Errorf("admitted as %+v", id)
	}
	if diff := cmp.Diff([]string{"oidc:developers", "oidc:readers"}, id.Grants); diff != "" {
		t.Error(diff)
	}
	if got := f.Granted(id.Grants); len(got) != 2 {
		t.Errorf("the grants in force are %v", got)
	}
}

func TestAJWTIsRefused(t *testing.T) {
	f := newFederated(t)
	good := f.remote.Token(nil)
	for name, c := range map[string]struct {
		header []string
		status int
		says   string // part of WWW-Authenticate
	}{
		"nothing":                       {nil, 401, `Bearer resource_metadata="http://mcp.acme.org:8443/.well-known/oauth-protected-resource/mcp"`},
		"expired":                       {[]string{"Authorization", "Bearer " + f.remote.Token(map[string]any{"exp": 1})}, 401, `error="invalid_token", resource_metadata="`},
		"for another audience":          {[]string{"Authorization", "Bearer " + f.remote.Token(map[string]any{"aud": "wiki"})}, 401, `error="invalid_token"`},
		"of no group that opens":        {[]string{"Authorization", "Bearer " + f.remote.Token(map[string]any{"groups": []string{"guests"}})}, 403, `error="insufficient_scope"`},
		"of no group":                   {[]string{"Authorization", "Bearer " + f.remote.Token(map[string]any{"groups": nil})}, 403, `error="insufficient_scope"`},
		"of a group of certificates":    {[]string{"Authorization", "Bearer " + f.remote.Token(map[string]any{"groups": []string{"dns:ci.acme.org", "cert:dns:ci.acme.org"}})}, 403, ""},
		"a name that is too long":       {[]string{"Authorization", "Bearer " + f.remote.Token(map[string]any{"sub": strings.Repeat("a", 300)})}, 403, ""},
		"as X-API-Key":                  {[]string{"X-API-Key", good}, 401, `error="invalid_token"`},
		"beside the owner's key":        {[]string{"X-API-Key", key, "Authorization", "Bearer " + good}, 401, `error="invalid_token"`},
		"beside a token":                {[]string{"X-API-Key", f.agent, "Authorization", "Bearer " + good}, 401, `error="invalid_token"`},
		"beside another JWT":            {[]string{"Authorization", "Bearer " + good, "Authorization", "Bearer " + f.remote.Token(map[string]any{"sub": "eve"})}, 401, `error="invalid_token"`},
		"of another scheme":             {[]string{"Authorization", "Token " + good}, 401, `error="invalid_token"`},
		"without a scheme":              {[]string{"Authorization", good}, 401, `error="invalid_token"`},
		"a wrong key":                   {[]string{"X-API-Key", "x"}, 401, `error="invalid_token"`},
		"an encrypted token":            {[]string{"Authorization", "Bearer eyJhbGciOiJkaXIifQ.a.b.c.d"}, 401, `error="invalid_token"`},
		"what begins like one, no more": {[]string{"Authorization", "Bearer ey.."}, 401, `error="invalid_token"`},
	} {
		for _, open := range []bool{false, true} {
			if open && c.header == nil {
				continue
			}
			id, refusal := f.Admit(mcp(c.header...), false, open)
			if refusal == nil {
				t.Errorf("%s: admitted as %+v", name, id)
				continue
			}
			h := http.Header{}
			refusal.Header(h)
			if refusal.Status != c.status || !strings.Contains(h.Get("WWW-Authenticate"), c.says) {
				t.Errorf("%s: status %d, %q", name, refusal.Status, h.Get("WWW-Authenticate"))
			}
			if id.Principal != "" {
				t.Errorf("%s: the refusal names %+v", name, id)
			}
		}
	}
}

func TestAnOutageOfTheProviderIs503(t *testing.T) {
	f := newFederated(t)
	f.remote.Down(true)
	_, refusal := f.Admit(mcp("Authorization", "Bearer "+f.remote.Token(nil)), false, false)
	if refusal == nil || refusal.Status != http.StatusServiceUnavailable {
		t.Fatalf("refusal %+v", refusal)
	}
	h := http.Header{}
	if refusal.Header(h); h.Get("Retry-After") == "" || h.Get("WWW-Authenticate") != "" {
		t.Errorf("the headers are %v", h)
	}
}

func TestASignedTokenDoesNotCountAsAGuess(t *testing.T) {
	f := newFederated(t)
	for range 2 * maxGuesses {
		stale := f.remote.Token(map[string]any{"exp": 1, "jti": time.Now().String()})
		if _, refusal := f.Admit(mcp("Authorization", "Bearer "+stale), false, false); refusal.Status != http.StatusUnauthorized {
			t.Fatalf("status %d", refusal.Status)
		}
	}
	if _, refusal := f.Admit(mcp("Authorization", "Bearer "+f.remote.Token(nil)), false, false); refusal != nil {
		t.Errorf("a good token after expired ones: %+v", refusal)
	}
}

func TestNobodyOfTheProviderIsTheOwnerOrAToken(t *testing.T) {
	f := newFederated(t)
	for _, name := range []string{"local", "ci", "cert/ci", "mcp:ci:/mcp"} {
		id, refusal := f.Admit(mcp("Authorization", "Bearer "+f.remote.Token(map[string]any{"sub": name})), false, false)
		if refusal != nil || id.IsOwner() || !strings.HasPrefix(id.Principal, "oidc/") || strings.Contains(id.Principal, ":") {
			t.Errorf("%s is admitted as %+v, refusal %v", name, id, refusal)
		}
	}
	if Principal("oidc", "a%3Ab") == Principal("oidc", "a:b") {
		t.Error("two names have one principal")
	}
}

func TestOverTheSocketAJWTCountsToo(t *testing.T) {
	f := newFederated(t)
	id, refusal := f.Admit(mcp("Authorization", "Bearer "+f.remote.Token(nil)), true, true)
	if refusal != nil || id.Principal != "oidc/ann" || !id.Local {
		t.Errorf("admitted as %+v, refusal %v", id, refusal)
	}
}

func TestARequestEndsWithItsJWTAndWithTheConfiguration(t *testing.T) {
	f := newFederated(t)
	req := mcp("Authorization", "Bearer "+f.remote.Token(nil))
	id, refusal := f.Admit(req, false, false)
	if refusal != nil {
		t.Fatal(refusal)
	}
	bounded, leave, refusal := f.Bind(req, id)
	defer leave()
	if refusal != nil || bounded.Context().Err() != nil {
		t.Fatalf("refusal %v, %v", refusal, bounded.Context().Err())
	}
	if end, ok := bounded.Context().Deadline(); !ok || !end.Equal(id.Expires) {
		t.Errorf("the request ends at %v, want %v", end, id.Expires)
	}
	f.UseFederation(f.federation("another"))
	if bounded.Context().Err() == nil {
		t.Error("the request goes on after the configuration has changed")
	}
	if _, leave, refusal := f.Bind(req, id); refusal == nil {
		t.Error("a request that was admitted before is served")
	} else {
		leave()
	}
	f.UseFederation(nil)
	if got := f.Granted(id.Grants); len(got) != 0 {
		t.Errorf("without a federation the grants are %v", got)
	}
	if _, refusal := f.Admit(req, false, false); refusal == nil || refusal.Status != http.StatusUnauthorized {
		t.Errorf("without a federation: %+v", refusal)
	}
}

// shown returns a request on a connection that was opened with a certificate.
func shown(c *x509.Certificate, header ...string) *http.Request {
	r := mcp(header...)
	c.NotBefore = time.Now().Add(-time.Hour)
	if c.NotAfter.IsZero() {
		c.NotAfter = time.Now().Add(time.Hour)
	}
	r.TLS = &tls.ConnectionState{
		PeerCertificates: []*x509.Certificate{c},
		VerifiedChains:   [][]*x509.Certificate{{c}},
	}
	return r
}

func TestTheHolderOfACertificateIsAdmitted(t *testing.T) {
	f := newFederated(t)
	uri := func(s string) []*url.URL {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return []*url.URL{u}
	}
	stale := &x509.Certificate{DNSNames: []string{"ci.acme.org"}, NotAfter: time.Now().Add(-time.Minute)}
	for name, c := range map[string]struct {
		cert   *x509.Certificate
		header []string
		want   string // the principal
		status int    // of the refusal
	}{
		"a URI":                     {cert: &x509.Certificate{URIs: uri("spiffe://a/ci")}, want: "cert/spiffe%3A//a/ci"},
		"an address":                {cert: &x509.Certificate{EmailAddresses: []string{"ann@acme.org"}}, want: "cert/ann@acme.org"},
		"a host":                    {cert: &x509.Certificate{DNSNames: []string{"x", "ci.acme.org"}}, want: "cert/ci.acme.org"},
		"a common name":             {cert: &x509.Certificate{Subject: pkix.Name{CommonName: "Ann Example"}}, want: "cert/Ann%20Example"},
		"a host as common name":     {cert: &x509.Certificate{Subject: pkix.Name{CommonName: "ci.acme.org"}}, status: 403},
		"a name of no grant":        {cert: &x509.Certificate{DNSNames: []string{"www.acme.org"}}, status: 403},
		"no name":                   {cert: &x509.Certificate{}, status: 403},
		"an expired certificate":    {cert: stale, status: 401},
		"beside the owner's key":    {cert: &x509.Certificate{DNSNames: []string{"ci.acme.org"}}, header: []string{"X-API-Key", key}, want: Owner},
		"beside a token":            {cert: &x509.Certificate{DNSNames: []string{"ci.acme.org"}}, header: []string{"X-API-Key", f.agent}, want: "ci"},
		"beside a wrong key":        {cert: &x509.Certificate{DNSNames: []string{"ci.acme.org"}}, header: []string{"X-API-Key", "x"}, status: 401},
		"beside a person's JWT":     {cert: &x509.Certificate{DNSNames: []string{"x"}}, header: []string{"Authorization", "Bearer " + f.remote.Token(nil)}, want: "oidc/ann"},
		"beside an expired JWT":     {cert: &x509.Certificate{DNSNames: []string{"ci.acme.org"}}, header: []string{"Authorization", "Bearer " + f.remote.Token(map[string]any{"exp": 1})}, status: 401},
		"beside an empty key":       {cert: &x509.Certificate{DNSNames: []string{"ci.acme.org"}}, header: []string{"X-API-Key", ""}, want: "cert/ci.acme.org"},
		"beside an empty bearer to": {cert: &x509.Certificate{DNSNames: []string{"ci.acme.org"}}, header: []string{"Authorization", "Bearer "}, status: 401},
	} {
		for _, open := range []bool{false, true} {
			id, refusal := f.Admit(shown(c.cert, c.header...), false, open)
			status := 0
			if refusal != nil {
				status = refusal.Status
			}
			if id.Principal != c.want || status != c.status {
				t.Errorf("%s, open %t: admitted as %+v, refusal %+v", name, open, id, refusal)
			}
		}
	}
}

func TestACertificateWithoutATrustedAuthorityIsIgnored(t *testing.T) {
	f := newFederated(t)
	r := shown(&x509.Certificate{DNSNames: []string{"ci.acme.org"}})
	r.TLS.VerifiedChains = nil
	if id, refusal := f.Admit(r, false, false); refusal == nil {
		t.Errorf("admitted as %+v", id)
	}
}

func TestTheMetadataOfTheResource(t *testing.T) {
	f := newFederated(t)
	ask := func(method, path string) (int, metadata) {
		r := httptest.NewRequest(method, path, nil)
		r.Host = "mcp.acme.org:8443"
		r.TLS = &tls.ConnectionState{}
		w := httptest.NewRecorder()
		f.ServeMetadata(w, r)
		var m metadata
		if w.Code == http.StatusOK && json.Unmarshal(w.Body.Bytes(), &m) != nil {
			t.Fatalf("%s is answered with %s", path, w.Body)
		}
		return w.Code, m
	}
	for path, resource := range map[string]string{
		MetadataPath:                      "https://mcp.acme.org:8443",
		MetadataPath + "/":                "https://mcp.acme.org:8443",
		MetadataPath + "/mcp":             "https://mcp.acme.org:8443/mcp",
		MetadataPath + "/mcp/s/my%20tool": "https://mcp.acme.org:8443/mcp/s/my%20tool",
	} {
		status, m := ask(http.MethodGet, path)
		want := metadata{resource, []string{f.remote.Issuer}, []string{"header"}, "mcpproxy"}
		if diff := cmp.Diff(want, m); status != http.StatusOK || diff != "" {
			t.Errorf("%s: status %d, %s", path, status, diff)
		}
	}
	for path, want := range map[string]int{MetadataPath + "/api/v1": 404, MetadataPath + "/mcpx": 404} {
		if status, _ := ask(http.MethodGet, path); status != want {
			t.Errorf("%s: status %d, want %d", path, status, want)
		}
	}
	if status, _ := ask(http.MethodPost, MetadataPath); status != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", status)
	}
	next := f.federation("https://mcp.acme.org")
	f.UseFederation(next)
	if _, m := ask(http.MethodGet, MetadataPath+"/mcp"); m.Resource != "https://mcp.acme.org" {
		t.Errorf("with an address as audience the resource is %s", m.Resource)
	}
	f.UseFederation(nil)
	if status, _ := ask(http.MethodGet, MetadataPath); status != http.StatusNotFound {
		t.Errorf("without a provider: status %d", status)
	}
}
