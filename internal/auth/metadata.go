package auth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// MetadataPath is the path of the protected resource metadata (RFC 9728). The path of an MCP
// endpoint may follow it.
const MetadataPath = "/.well-known/oauth-protected-resource"

// isMCP reports whether a path belongs to an MCP endpoint.
func isMCP(path string) bool { return path == "/mcp" || strings.HasPrefix(path, "/mcp/") }

// origin returns the scheme and host by which a request has reached mcpproxy.
func (f *Federation) origin(r *http.Request) string {
	if f.Resource != "" {
		return strings.TrimSuffix(f.Resource, "/")
	}
	u := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// challenge returns the value of WWW-Authenticate for a refusal, or "" if the provider's tokens are
// not accepted there.
func (f *Federation) challenge(r *http.Request, refusal *Refusal) string {
	if f.Provider == nil || !isMCP(r.URL.Path) {
		return ""
	}
	problem := ""
	switch {
	case refusal.Status == http.StatusForbidden && refusal.Message == noGroup:
		problem = `error="insufficient_scope", `
	case refusal.Status != http.StatusUnauthorized:
		return ""
	case Shown(r):
		problem = `error="invalid_token", `
	}
	where := f.origin(r) + MetadataPath + strings.TrimSuffix(r.URL.EscapedPath(), "/")
	return `Bearer ` + problem + `resource_metadata="` + strings.NewReplacer(`"`, "%22", `\`, "%5C").Replace(where) + `"`
}

// metadata is the document of RFC 9728.
type metadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

// ServeMetadata names the identity provider that issues tokens for mcpproxy (RFC 9728). It needs no
// key. The resource is the configured audience if that is an address, or else the address of the
// request.
func (a *Authenticator) ServeMetadata(w http.ResponseWriter, r *http.Request) {
	f := a.federation.Load()
	endpoint := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, MetadataPath), "/")
	if f == nil || f.Provider == nil || endpoint != "" && !isMCP(endpoint) {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "use GET", http.StatusMethodNotAllowed)
		return
	}
	s := f.Provider.Settings()
	resource := f.origin(r) + (&url.URL{Path: endpoint}).EscapedPath()
	if u, err := url.Parse(s.Audience); err == nil && u.Scheme == "https" && u.Host != "" {
		resource = s.Audience
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(metadata{ // an error means that the client has disconnected
		Resource: resource,
		Servers:  []string{s.Issuer},
		Methods:  []string{"header"},
		Name:     "mcpproxy",
	})
}
