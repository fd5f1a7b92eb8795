package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// shelf is what differs between this proxy's own endpoints: which tools they
// show and what a call of one means.
type shelf interface {
	instructions() string
	// tools are the definitions that a caller may use, in their order.
	tools(c *caller) []json.RawMessage
	// hint says how a tool that does not exist here was probably meant; "" when
	// nothing is like it.
	hint(c *caller, name string) string
	// call answers tools/call.
	call(ctx context.Context, c *caller, m *wire.Message) *wire.Message
}

// ownEndpoint is an endpoint at which this proxy itself is the server.
type ownEndpoint struct {
	g     *Gateway
	shelf shelf
}

var ownCapabilities = []byte(`{"tools":{"listChanged":true}}`)

// pageSize is the number of tools in one page of a list.
const pageSize = 250

func serverInfo() []byte {
	return wire.MustJSON(map[string]string{"name": "mcpproxy", "version": upstream.Version})
}

func (o *ownEndpoint) handle(ctx context.Context, c *caller, m *wire.Message) *wire.Message {
	if c.era == wire.Stateless && isRemoved(m.Method) {
		return unknownMethod(m)
	}
	var resp *wire.Message
	switch m.Method {
	case "initialize":
		return wire.NewResult(m.ID, o.hello(m.Params))
	case "ping":
		return wire.NewResult(m.ID, []byte("{}"))
	case "server/discover":
		resp = wire.NewResult(m.ID, discoverFrom(o.hello(nil)))
	case "tools/list":
		resp = uncachedFor(c, o.list(c, m))
	case "tools/call":
		resp = o.shelf.call(ctx, c, m)
	case "subscriptions/listen":
		if c.era != wire.Stateless {
			return unknownMethod(m)
		}
		var err error
		if resp, err = o.g.listen(ctx, c, m, nil); err != nil {
			return failed(m.ID, err)
		}
	default:
		return unknownMethod(m)
	}
	return complete(c, resp, serverInfo())
}

func uncachedFor(c *caller, resp *wire.Message) *wire.Message {
	if c.era == wire.Stateless {
		return uncached(resp)
	}
	return resp
}

func (o *ownEndpoint) notified(context.Context, *caller, *wire.Message) {}

func (o *ownEndpoint) ended(*session) {}

func (o *ownEndpoint) hello(params []byte) []byte {
	version := wire.String(params, "protocolVersion")
	if !slices.Contains(wire.StatefulVersions, version) {
		version = wire.LatestStateful
	}
	return wire.MustJSON(map[string]any{"protocolVersion": version, "capabilities": json.RawMessage(ownCapabilities),
		"serverInfo": json.RawMessage(serverInfo()), "instructions": o.shelf.instructions()})
}

// list is one page of the shelf's tools; the cursor is the number of the first.
func (o *ownEndpoint) list(c *caller, m *wire.Message) *wire.Message {
	tools := o.shelf.tools(c)
	start := 0
	if raw := wire.Member(m.Params, "cursor"); raw != nil && string(raw) != "null" {
		n, err := strconv.Atoi(wire.String(m.Params, "cursor"))
		if err != nil || n < 0 || n > len(tools) {
			return invalid(m.ID, "unknown cursor")
		}
		start = n
	}
	end := min(start+pageSize, len(tools))
	page := map[string]any{"tools": tools[start:end]}
	if end < len(tools) {
		page["nextCursor"] = strconv.Itoa(end)
	}
	return wire.NewResult(m.ID, encodeTools(tools[start:end], page["nextCursor"]))
}

// encodeTools joins definitions byte for byte.
func encodeTools(tools []json.RawMessage, next any) []byte {
	out := append([]byte(`{"tools":`), joined(tools)...)
	if next != nil {
		out = append(append(out, `,"nextCursor":`...), wire.MustJSON(next)...)
	}
	return append(out, '}')
}

// forward calls a tool of a server for c. Params are those of tools/call as the
// server will see them.
func (g *Gateway) forward(ctx context.Context, c *caller, m *wire.Message, server string, params []byte, intent mcpproxy.Intent) *wire.Message {
	out := m.WithParams(params)
	call, err := g.callOf(c, server, out)
	if err != nil {
		return invalid(m.ID, "%v", err)
	}
	call.Intent = intent
	if call.Definition != nil {
		out.Header = wire.ParamHeaders(call.Definition.InputSchema, call.Arguments)
	}
	return g.pass(ctx, c, request{out, call}, func(ctx context.Context, out *wire.Message) (*wire.Message, error) {
		s, ok := g.servers.Get(server)
		if !ok {
			return nil, noServer(server)
		}
		link, err := s.Shared(ctx)
		if err != nil {
			return nil, err
		}
		resp, err := g.bridge(ctx, link, c, out)
		g.doubt(call, resp)
		return resp, err
	})
}

// unknownTool answers a call of a tool that is not on the shelf.
func unknownTool(c *caller, m *wire.Message, s shelf, name string) *wire.Message {
	message := fmt.Sprintf("There is no tool %q.", name)
	if hint := s.hint(c, name); hint != "" {
		message += " " + hint
	}
	facts := map[string]any{"code": mcpproxy.CodeToolNotFound}
	return complete(c, wire.NewResult(m.ID, toolError(message, facts)), serverInfo())
}
