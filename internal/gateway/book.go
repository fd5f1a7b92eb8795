package gateway

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpproxy/internal/door"
	"mcpproxy/internal/suggest"
	"mcpproxy/internal/token"
	"mcpproxy/internal/wire"
)

// Book answers questions about what happened, as tools of an endpoint that only
// the owner and auditors may use. Nothing of it reaches a server.
type Book interface {
	// Instructions tell the client what the tools are good for.
	Instructions() string
	// Tools are the definitions in their order.
	Tools() []json.RawMessage
	// Ask answers a call of a tool with a JSON object. The error is for the client,
	// as the result of the tool.
	Ask(ctx context.Context, principal, tool string, arguments json.RawMessage) (json.RawMessage, error)
}

// Open serves a book at a path below /mcp. It must be called before requests are
// served.
func (g *Gateway) Open(path string, b Book) {
	shelf := &reading{g, b}
	g.books[path], g.own[path] = shelf, &ownEndpoint{g, shelf}
}

// reading is the shelf of a book.
type reading struct {
	g    *Gateway
	book Book
}

func (r *reading) mayRead(id door.Identity) bool { return id.IsOwner() || id.Role == token.Auditor }

func (r *reading) instructions() string { return r.book.Instructions() }

func (r *reading) tools(*caller) []json.RawMessage { return r.book.Tools() }

func (r *reading) hint(_ *caller, name string) string {
	var known []string
	for _, t := range r.book.Tools() {
		known = append(known, wire.String(t, "name"))
	}
	if near := suggest.Nearest(name, known); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return ""
}

func (r *reading) call(ctx context.Context, c *caller, m *wire.Message) *wire.Message {
	name := wire.String(m.Params, "name")
	for _, t := range r.book.Tools() {
		if wire.String(t, "name") != name {
			continue
		}
		out, err := r.book.Ask(ctx, c.principal, name, wire.Member(m.Params, "arguments"))
		if err != nil {
			return wire.NewResult(m.ID, toolProblem(err.Error()))
		}
		return wire.NewResult(m.ID, toolResult(out))
	}
	return unknownTool(c, m, r, name)
}

// toolProblem is a tool result that says what went wrong, and nothing else: a
// structured answer would have to be of the form that the tool promises.
func toolProblem(message string) []byte {
	return wire.MustJSON(map[string]any{"content": []map[string]string{{"type": "text", "text": message}}, "isError": true})
}
