package rig

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Patience is the timeout of everything that an MCP client does.
const Patience = 60 * time.Second

// Within returns a context that ends after Patience.
func Within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// Connect connects the client of the Go SDK with a protocol revision. The test's cleanup closes the client.
func Connect(t testing.TB, transport mcp.Transport, revision string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e agent", Version: "1"}, nil)
	session, err := client.Connect(Within(t), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connecting the agent: %v", err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// ConnectTo connects to an endpoint with a key. The client has its own connections, because a test server that is
// closed also closes the idle connections of the default transport.
func ConnectTo(t testing.TB, endpoint, key, revision string) *mcp.ClientSession {
	t.Helper()
	own := &http.Client{Transport: Bearer{Key: key, Next: http.DefaultTransport.(*http.Transport).Clone()}}
	return Connect(t, &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: own}, revision)
}

// Bearer is a transport that sends a key with every request.
type Bearer struct {
	Key  string
	Next http.RoundTripper
}

// RoundTrip sends a request with the key.
func (b Bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.Key)
	return b.Next.RoundTrip(r)
}
