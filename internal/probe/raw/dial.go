package raw

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"mcpproxy/internal/version"
	"mcpproxy/internal/wire"
)

func clientInfo() []byte {
	return wire.MustJSON(map[string]string{"name": "mcpproxy-probe", "version": version.String()})
}

// Hello returns the params of initialize for a protocol revision.
func Hello(version string) []byte {
	return wire.MustJSON(
		map[string]any{
			"protocolVersion": version,
			"capabilities":    struct{}{},
			"clientInfo":      json.RawMessage(clientInfo()),
		},
	)
}

// Dial connects to a server. It detects the transport, the protocol era and, if the URL has no
// path, the path. An error says what was tried; for a status of 401 or 403 it is a [*StatusError].
func Dial(ctx context.Context, t Target) (*Conn, error) {
	c, first := dialAt(ctx, t)
	if first == nil || !mayBeElsewhere(first) || ctx.Err() != nil {
		return c, first
	}
	err := fmt.Errorf("%s: %w", shown(t.URL), first)
	paths := usualPaths(t.URL)
	if len(paths) == 0 {
		return nil, fmt.Errorf("%w; the path may be wrong, and no other path was tried%s", err, hint(t.URL))
	}
	for _, path := range paths {
		t.URL = path
		c, there := dialAt(ctx, t)
		if there == nil {
			return c, nil
		}
		if wantsCredentials(there) {
			return nil, fmt.Errorf("%s: %w", shown(path), there)
		}
		err = fmt.Errorf("%w; %s: %w", err, shown(path), there)
	}
	return nil, fmt.Errorf("%w; name the server's path in the URL", err)
}

// hint names the address at which most servers answer, unless it is the one that was tried.
func hint(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "/mcp" {
		return ""
	}
	u.Path = "/mcp"
	u.RawPath = ""
	return ": many servers answer at " + shown(u.String())
}

// usualPaths returns the paths that are tried if the URL has none.
func usualPaths(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Path != "" && u.Path != "/" {
		return nil
	}
	var out []string
	for _, path := range []string{"/mcp", "/sse"} {
		u.Path = path
		out = append(out, u.String())
	}
	return out
}

// mayBeElsewhere reports whether an error suggests that the server has another path.
func mayBeElsewhere(err error) bool {
	s, ok := errors.AsType[*StatusError](err)
	return ok && (s.Status == http.StatusNotFound || s.Status == http.StatusMethodNotAllowed)
}

// wantsCredentials reports whether an error says that a server is at the address and lets nobody in.
func wantsCredentials(err error) bool {
	s, ok := errors.AsType[*StatusError](err)
	return ok && (s.Status == http.StatusUnauthorized || s.Status == http.StatusForbidden)
}

// dialAt opens a conversation at the address that the target has.
func dialAt(ctx context.Context, t Target) (*Conn, error) {
	c, err := Connect(ctx, t)
	if err != nil {
		return nil, err
	}
	err = c.Greet(ctx)
	if err == nil {
		return c, nil
	}
	c.Close()
	if t.URL == "" || t.Transport != "" || !mayBeOlder(err) {
		return nil, err
	}
	t.Transport = OverSSE // the fallback that the specification describes
	older, sseErr := Connect(ctx, t)
	if sseErr == nil {
		if sseErr = older.Greet(ctx); sseErr == nil {
			return older, nil
		}
		older.Close()
	}
	if errors.As(sseErr, new(*StatusError)) {
		return nil, err // the server speaks neither; the first error is more useful
	}
	return nil, fmt.Errorf("%w; as HTTP+SSE: %w", err, sseErr)
}

// mayBeOlder reports whether an error suggests a server of the older HTTP transport.
func mayBeOlder(err error) bool {
	s, ok := errors.AsType[*StatusError](err)
	return ok &&
		(s.Status == http.StatusBadRequest || s.Status == http.StatusNotFound ||
			s.Status == http.StatusMethodNotAllowed)
}

// StatusError is an HTTP response without a message.
type StatusError struct{ Status int }

// Error returns the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("HTTP status %d %s", e.Status, http.StatusText(e.Status))
}

// Connect opens the transport without sending a message.
func Connect(ctx context.Context, t Target) (*Conn, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	c := newConn(t)
	switch {
	case t.Command != "":
		c.Transport = OverStdio
		return c, c.start()
	case t.Transport == OverSSE:
		c.Transport, c.client = OverSSE, t.client()
		return c, c.listen(ctx)
	}
	c.Transport, c.client = OverHTTP, t.client()
	c.pipe = &exchange{c}
	return c, nil
}

// Greet makes the handshake, in the stateful era if the server supports it.
func (c *Conn) Greet(ctx context.Context) error {
	first := c.initialize(ctx)
	if first == nil || ctx.Err() != nil || c.Broken() != nil {
		return first
	}
	if c.discover(ctx) == nil {
		return nil
	}
	return first
}

func (c *Conn) initialize(ctx context.Context) error {
	a := c.Request(ctx, "initialize", Hello(wire.LatestStateful))
	if err := a.failure("initialize"); err != nil {
		return err
	}
	version := wire.String(a.Result, "protocolVersion")
	if !slices.Contains(wire.StatefulVersions, version) {
		return fmt.Errorf(
			"the server answers initialize with the protocol version %q, which MCP does not have",
			version,
		)
	}
	c.Version, c.Hello = version, a.Result
	return c.Notify(ctx, "notifications/initialized", nil)
}

func (c *Conn) discover(ctx context.Context) error {
	c.Era, c.Version = wire.Stateless, wire.Latest
	a := c.Request(ctx, "server/discover", nil)
	err := a.failure("server/discover")
	if err == nil {
		c.Hello = a.Result
		return nil
	}
	c.Era, c.Version = wire.Stateful, ""
	return err
}

// failure returns why an answer contains no result.
func (a Answer) failure(method string) error {
	switch {
	case a.OK():
		return nil
	case a.Error != nil:
		return fmt.Errorf("the server refuses %s: %.200s", method, wire.String(a.Error, "message"))
	case a.Err != nil:
		return fmt.Errorf("%s: %w", method, a.Err)
	case a.Status >= 300:
		return fmt.Errorf("%s: %w", method, &StatusError{a.Status})
	}
	return fmt.Errorf("%s: the server did not answer with a message", method)
}

// Opening returns the message that opens a connection, and its headers, for [Conn.HTTP].
func (c *Conn) Opening() ([]byte, http.Header) {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if c.Era != wire.Stateless {
		return wire.NewRequest([]byte("0"), "initialize", Hello(wire.LatestStateful)).Raw, h
	}
	req := wire.NewRequest([]byte("0"), "server/discover", c.complete(nil))
	h.Set(wire.HeaderVersion, wire.Latest)
	wire.SetHeaders(h, req)
	return req.Raw, h
}
