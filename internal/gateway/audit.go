package gateway

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/suggest"
	"mcpproxy/internal/token"
	"mcpproxy/internal/wire"
)

// AuditTools are tools that answer questions about past calls, for an endpoint that only the owner
// and auditors may use. Calls of these tools never reach a server.
type AuditTools interface {
	// Instructions returns the instructions for the client.
	Instructions() string
	// Tools returns the definitions in order.
	Tools() []json.RawMessage
	// Ask answers a tool call with a JSON object. The client receives an error as the tool's
	// result.
	Ask(ctx context.Context, principal, tool string, arguments json.RawMessage) (json.RawMessage, error)
}

// Open serves audit tools at a path below /mcp. It must be called before requests are served.
func (g *Gateway) Open(path string, source AuditTools) {
	tools := &auditToolset{g, source}
	g.audits[path], g.own[path] = tools, &ownEndpoint{g, tools}
}

// auditToolset is the toolset of an audit endpoint.
type auditToolset struct {
	g      *Gateway
	source AuditTools
}

func (a *auditToolset) mayRead(id auth.Identity) bool {
	return id.IsOwner() || id.Role == token.Auditor
}

func (a *auditToolset) instructions(*caller) string { return a.source.Instructions() }

func (a *auditToolset) tools(*caller) []json.RawMessage { return a.source.Tools() }

func (a *auditToolset) names(name, _ string) (server, tool string) { return "", name }

func (a *auditToolset) hint(_ *caller, name string) string {
	var known []string
	for _, t := range a.source.Tools() {
		known = append(known, wire.String(t, "name"))
	}
	if near := suggest.Nearest(name, known); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return ""
}

func (a *auditToolset) call(ctx context.Context, c *caller, m *wire.Message) *wire.Message {
	name := wire.String(m.Params, "name")
	for _, t := range a.source.Tools() {
		if wire.String(t, "name") != name {
			continue
		}
		out, err := a.source.Ask(ctx, c.principal, name, wire.Member(m.Params, "arguments"))
		if err != nil {
			return wire.NewResult(m.ID, toolProblem(err.Error()))
		}
		return wire.NewResult(m.ID, toolResult(out))
	}
	return unknownTool(c, m, a, name, nil)
}

// toolProblem returns a tool result with an error message only: structured content would
// have to match the tool's output schema.
func toolProblem(message string) []byte {
	return wire.MustJSON(
		map[string]any{"content": []map[string]string{{"type": "text", "text": message}}, "isError": true},
	)
}
