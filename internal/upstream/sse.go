package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/wire"
)

// legacySSE is the HTTP+SSE transport of revision 2024-11-05, through the SDK's
// raw connection.
type legacySSE struct {
	conn  mcp.Connection
	link  *Link
	ended chan struct{}
	once  sync.Once
}

// headerTripper adds the configured headers to every request.
type headerTripper struct{ headers map[string]string }

func (h headerTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for k, v := range h.headers {
		req.Header.Set(k, v)
	}
	return httpTransport.RoundTrip(req)
}

func dialSSE(ctx context.Context, l *Link, spec Spec) error {
	t := &mcp.SSEClientTransport{Endpoint: spec.URL,
		HTTPClient: &http.Client{Transport: headerTripper{spec.Headers}, CheckRedirect: sameOrigin}}
	// The SDK ties the standing stream to the context of Connect.
	conn, err := t.Connect(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	s := &legacySSE{conn: conn, link: l, ended: make(chan struct{})}
	l.transport = s
	go s.read()
	return nil
}

func (s *legacySSE) read() {
	for {
		msg, err := s.conn.Read(context.Background())
		if err != nil {
			s.link.fail(fmt.Errorf("%w: %w", ErrBroken, err))
			return
		}
		raw, err := jsonrpc.EncodeMessage(msg)
		if err == nil {
			s.link.inbound(raw, nil, 0)
		}
	}
}

func (s *legacySSE) send(ctx context.Context, msg *wire.Message, _ *call) error {
	m, err := jsonrpc.DecodeMessage(msg.Raw)
	if err != nil {
		return errors.Join(errMalformed, err)
	}
	return s.conn.Write(ctx, m)
}

func (s *legacySSE) ready(*Link) {}

func (s *legacySSE) associates() bool { return false }

func (s *legacySSE) close() {
	s.once.Do(func() {
		s.conn.Close()
		close(s.ended)
	})
}

func (s *legacySSE) gone() <-chan struct{} { return s.ended }
