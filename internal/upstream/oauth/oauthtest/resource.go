package oauthtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// resource returns the MCP server. The SDK implements it and checks its bearer tokens. The tool read_page needs the
// scope wiki:read, and write_page needs wiki:write too.
func (a *authority) resource() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "wiki", Version: "1"}, nil)
	for _, name := range []string{"read_page", "write_page"} {
		server.AddTool(
			&mcp.Tool{Name: name, Description: "A page of the wiki.", InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " is done"}}}, nil
			},
		)
	}
	pick := func(*http.Request) *mcp.Server { return server }
	older, newer := mcp.NewSSEHandler(pick, nil), mcp.NewStreamableHTTPHandler(pick, nil)
	served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		sse := a.be.SSE
		a.mu.Unlock()
		if sse {
			older.ServeHTTP(w, r)
			return
		}
		newer.ServeHTTP(w, r)
	})
	base := strings.TrimSuffix(a.mcp, "/mcp")
	guarded := auth.RequireBearerToken(
		a.verify,
		&auth.RequireBearerTokenOptions{ResourceMetadataURL: base + "/.well-known/oauth-protected-resource/mcp"},
	)(
		a.scoped(served),
	)
	open := auth.RequireBearerToken(a.verify, nil)(guarded)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		silent := a.be.NoMetadata
		a.mu.Unlock()
		if silent {
			open.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /.well-known/", a.described)
	return mux
}

// described is the metadata of the MCP server. A server without metadata is its own authorization server, as in older
// revisions of the protocol.
func (a *authority) described(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.be.NoMetadata || !strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
		http.NotFound(w, r)
		return
	}
	doc := map[string]any{
		"resource":              a.mcp,
		"authorization_servers": []string{a.issuer},
		"scopes_supported":      []string{"wiki:read"},
	}
	if a.be.Resource != "" {
		doc["resource"] = a.be.Resource
	}
	if a.be.Issuers != nil {
		doc["authorization_servers"] = a.be.Issuers
	}
	answer(w, http.StatusOK, doc)
}

// verify checks that a token was issued for this server.
func (a *authority) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.access[token]
	if l == nil || a.be.Deaf || l.resource != a.mcp {
		a.log.Refused++
		return nil, fmt.Errorf("%w: unknown", auth.ErrInvalidToken)
	}
	a.log.Called++
	return &auth.TokenInfo{Scopes: l.scopes, Expiration: l.expires, UserID: "somebody"}, nil
}

// scoped refuses calls for which the token lacks a scope.
func (a *authority) scoped(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		info := auth.TokenInfoFromContext(r.Context())
		if bytes.Contains(body, []byte(`"tools/call"`)) && bytes.Contains(body, []byte("write_page")) &&
			!slices.Contains(info.Scopes, "wiki:write") {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="wiki:write"`)
			http.Error(w, "insufficient scope", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
