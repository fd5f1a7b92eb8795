package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"mcpproxy"
	"mcpproxy/internal/version"
	"mcpproxy/internal/wire"
)

// toolset holds the tools of one of this proxy's own endpoints: the definitions that the endpoint
// lists, and the handling of calls.
type toolset interface {
	// instructions returns the text that a client gets for its model at the start.
	instructions(c *caller) string
	// tools returns the definitions that a caller may use, in order.
	tools(c *caller) []json.RawMessage
	// hint suggests the tool that the caller of an unknown name probably meant, or "" if no name is
	// similar.
	hint(c *caller, name string) string
	// names returns the server and the tool that a call addresses, given the called name and the
	// name in its arguments.
	names(name, inner string) (server, tool string)
	// call answers tools/call.
	call(ctx context.Context, c *caller, m *wire.Message) *wire.Message
}

// ownEndpoint is an endpoint that this proxy itself serves.
type ownEndpoint struct {
	g       *Gateway
	toolset toolset
}

var ownCapabilities = []byte(`{"tools":{"listChanged":true},"resources":{}}`)

// pageSize is the number of tools in one page of a list.
const pageSize = 250

func serverInfo() []byte {
	return wire.MustJSON(map[string]string{"name": "mcpproxy", "version": version.String()})
}

func (o *ownEndpoint) handle(ctx context.Context, c *caller, m *wire.Message) *wire.Message {
	if c.era == wire.Stateless && isRemoved(m.Method) {
		return unknownMethod(m)
	}
	var resp *wire.Message
	switch m.Method {
	case "initialize":
		return wire.NewResult(m.ID, o.hello(c, m.Params))
	case "ping":
		return wire.NewResult(m.ID, []byte("{}"))
	case "server/discover":
		resp = wire.NewResult(m.ID, discoverFrom(o.hello(c, nil)))
	case "tools/list":
		resp = uncachedFor(c, o.list(c, m))
	case "tools/call":
		resp = o.toolset.call(ctx, c, m)
	case "resources/read":
		resp, ok := o.g.readPage(ctx, c, m)
		if !ok {
			return invalid(m.ID, "the only resources of this endpoint are the pages of long results")
		}
		return resp
	case "resources/list": // pages are found by the results that they belong to
		resp = uncachedFor(c, wire.NewResult(m.ID, []byte(`{"resources":[]}`)))
	case "resources/templates/list":
		resp = uncachedFor(c, wire.NewResult(m.ID, []byte(`{"resourceTemplates":[]}`)))
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

func (o *ownEndpoint) names(name, inner string) (server, tool string) {
	return o.toolset.names(name, inner)
}

func (o *ownEndpoint) hello(c *caller, params []byte) []byte {
	version := wire.String(params, "protocolVersion")
	if !slices.Contains(wire.StatefulVersions, version) {
		version = wire.LatestStateful
	}
	return wire.MustJSON(map[string]any{
		"protocolVersion": version,
		"capabilities":    json.RawMessage(ownCapabilities),
		"serverInfo":      json.RawMessage(serverInfo()),
		"instructions":    o.toolset.instructions(c),
	})
}

// list returns one page of the toolset's tools. The cursor is the index of the first tool.
func (o *ownEndpoint) list(c *caller, m *wire.Message) *wire.Message {
	tools := o.toolset.tools(c)
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

// encodeTools joins definitions into a JSON array, byte for byte.
func encodeTools(tools []json.RawMessage, next any) []byte {
	out := append([]byte(`{"tools":`), joined(tools)...)
	if next != nil {
		out = append(append(out, `,"nextCursor":`...), wire.MustJSON(next)...)
	}
	return append(out, '}')
}

// callServerTool calls a server's tool for c. Params are the tools/call params for the server.
func (g *Gateway) callServerTool(
	ctx context.Context,
	c *caller,
	m *wire.Message,
	server string,
	params []byte,
	intent mcpproxy.Intent,
) *wire.Message {
	out := m.WithParams(params)
	call, err := g.callOf(c, server, out)
	if err != nil {
		return invalid(m.ID, "%v", err)
	}
	call.Intent = intent
	if call.Definition != nil {
		out.Header = wire.ParamHeaders(call.Definition.InputSchema, call.Arguments)
	}
	return g.forward(ctx, c, request{out, call}, func(ctx context.Context, out *wire.Message) (*wire.Message, error) {
		s, ok := g.servers.Get(server)
		if !ok {
			return nil, noServer(server)
		}
		link, release, err := g.plainLink(ctx, s, c.principal, c.session)
		if err != nil {
			return nil, err
		}
		defer release()
		resp, err := g.bridge(ctx, link, c, out)
		g.doubt(call, link)
		return g.paged(c, s, call, resp, err)
	})
}

// unknownTool answers a call of a tool that the toolset does not have. Unread is the error if the
// definitions of the tool's server could not be read, or nil.
func unknownTool(c *caller, m *wire.Message, s toolset, name string, unread error) *wire.Message {
	message := fmt.Sprintf("There is no tool %q.", name)
	if unread != nil {
		message = fmt.Sprintf("The tool %q cannot be called yet: %s.", name, mcpproxy.AgentMessage(unread))
	}
	if hint := s.hint(c, name); hint != "" {
		message += " " + hint
	}
	facts := map[string]any{"code": mcpproxy.CodeToolNotFound}
	return complete(c, wire.NewResult(m.ID, toolError(message, facts)), serverInfo())
}
