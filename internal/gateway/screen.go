package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/door"
	"mcpproxy/internal/wire"
)

// Screen decides what agents see of what servers declare.
type Screen interface {
	// List takes the definitions that a server has just sent as (a part of) its
	// list of tools or prompts, and returns those that agents may see, as they may.
	List(server, kind string, sent []json.RawMessage) []json.RawMessage
	// Instructions does the same with what a server says about itself.
	Instructions(server, text string) string
	// Holds reports whether a server declares a tool that agents may not see.
	Holds(server, tool string) bool
	// Ready waits until what a server declares was read once. The error says why
	// it cannot be; agents may read it.
	Ready(ctx context.Context, server string) error
	// Doubt asks for what a server declares to be read again, soon.
	Doubt(server string)
}

// UseScreen makes s decide what agents see. It must be called before requests
// are served.
func (g *Gateway) UseScreen(s Screen) { g.screen = s }

// open is a screen that shows everything.
type open struct{}

func (open) List(_, _ string, sent []json.RawMessage) []json.RawMessage { return sent }
func (open) Instructions(_, text string) string                         { return text }
func (open) Holds(string, string) bool                                  { return false }
func (open) Ready(context.Context, string) error                        { return nil }
func (open) Doubt(string)                                               {}

// lists are the answers that carry definitions, by method.
var lists = map[string]string{"tools/list": "tools", "prompts/list": "prompts"}

// screened is a server's answer as agents may see it. What need not change stays
// byte for byte.
func (g *Gateway) screened(c *caller, server, method string, resp *wire.Message, err error) (*wire.Message, error) {
	if err != nil || resp.Result == nil {
		return resp, err
	}
	switch method {
	case "tools/list", "prompts/list":
		resp, err := g.screenList(server, lists[method], resp)
		return g.narrowed(c, server, method, resp, err)
	case "resources/list", "resources/templates/list":
		return g.narrowed(c, server, method, resp, nil)
	case "initialize", "server/discover":
		return g.screenHello(server, resp)
	}
	return resp, nil
}

func (g *Gateway) screenList(server, kind string, resp *wire.Message) (*wire.Message, error) {
	malformed := func(err error) error {
		return mcpproxy.Errorf(mcpproxy.CodeMalformed, err, "server %q sent a list of %s that is not valid", server, kind)
	}
	// A second list under a name in another case would be seen by some clients.
	members, err := wire.Members(resp.Result, kind, "nextCursor")
	if err != nil {
		return nil, malformed(err)
	}
	if members[kind] == nil {
		return resp, nil
	}
	var sent []json.RawMessage
	if err := json.Unmarshal(members[kind], &sent); err != nil {
		return nil, malformed(err)
	}
	shown := g.screen.List(server, kind, sent)
	if slices.EqualFunc(sent, shown, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return resp, nil
	}
	return resp.WithResult(wire.Set(resp.Result, joined(shown), kind)), nil
}

func (g *Gateway) screenHello(server string, resp *wire.Message) (*wire.Message, error) {
	members, err := wire.Members(resp.Result, "instructions", "capabilities", "protocolVersion", "serverInfo")
	if err != nil {
		return nil, mcpproxy.Errorf(mcpproxy.CodeMalformed, err, "server %q greets in a form that is not valid", server)
	}
	if members["instructions"] == nil {
		return resp, nil
	}
	said := wire.String(resp.Result, "instructions")
	switch shown := g.screen.Instructions(server, said); shown {
	case "":
		return resp.WithResult(wire.Without(resp.Result, "instructions")), nil
	case said:
		return resp, nil
	default:
		return resp.WithResult(wire.Set(resp.Result, wire.Quote(shown), "instructions")), nil
	}
}

// narrowable are the lists of which a token may open a part, and what each entry
// of theirs asks for.
var narrowable = map[string]struct {
	list, name string
	kind       mcpproxy.Kind
}{
	"tools/list":               {"tools", "name", mcpproxy.KindTool},
	"prompts/list":             {"prompts", "name", mcpproxy.KindPrompt},
	"resources/list":           {"resources", "uri", mcpproxy.KindResource},
	"resources/templates/list": {"resourceTemplates", "uriTemplate", mcpproxy.KindResource},
}

// narrowed is a list as the caller may see it: without what its token is not for.
func (g *Gateway) narrowed(c *caller, server, method string, resp *wire.Message, err error) (*wire.Message, error) {
	what := narrowable[method]
	if err != nil || c.principal == door.Owner || wire.Member(resp.Result, what.list) == nil {
		return resp, err
	}
	members, err := wire.Members(resp.Result, what.list)
	var sent []json.RawMessage
	if err == nil {
		err = json.Unmarshal(members[what.list], &sent)
	}
	if err != nil {
		return nil, mcpproxy.Errorf(mcpproxy.CodeMalformed, err, "server %q sent a list of %s that is not valid", server, what.list)
	}
	shown := slices.DeleteFunc(slices.Clone(sent), func(raw json.RawMessage) bool {
		name := wire.String(raw, what.name)
		var def *mcpproxy.Tool
		if what.kind == mcpproxy.KindTool {
			def, _ = g.catalog.Tool(server, name)
		}
		return !g.permits(c, server, what.kind, name, def)
	})
	if len(shown) == len(sent) {
		return resp, nil
	}
	return resp.WithResult(wire.Set(resp.Result, joined(shown), what.list)), nil
}

// joined is an array of definitions, byte for byte.
func joined(definitions []json.RawMessage) []byte {
	out := []byte{'['}
	for i, d := range definitions {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, d...)
	}
	return append(out, ']')
}

// doubt has a server's definitions read again when its answer looks as if the
// tool that was called is not the one that was listed.
func (g *Gateway) doubt(call *mcpproxy.Call, resp *wire.Message) {
	if resp == nil || call.Kind != mcpproxy.KindTool && call.Kind != mcpproxy.KindPrompt {
		return
	}
	code := wire.Code(resp)
	failed := resp.Result != nil && string(wire.Member(resp.Result, "isError")) == "true"
	if failed || code == wire.CodeMethodNotFound || code == wire.CodeInvalidParams {
		g.screen.Doubt(call.Server)
	}
}

// refuseHeld answers a question about a tool that agents, or this one, may not see
// as a call of it would be answered; ok is false when nothing holds it.
func (g *Gateway) refuseHeld(ctx context.Context, c *caller, m *wire.Message, server, tool string) (resp *wire.Message, ok bool) {
	if def, _ := g.catalog.Tool(server, tool); !g.screen.Holds(server, tool) && (server == "" || g.permits(c, server, mcpproxy.KindTool, tool, def)) {
		return nil, false
	}
	call, err := g.callOf(c, server, m.WithParams(wire.Set(nil, wire.Quote(tool), "name")))
	if err != nil {
		return nil, false
	}
	p := g.gate.Before(ctx, call)
	if !p.Stopped() { // it was approved just now
		return nil, false
	}
	return stopped(c, request{m, call}, p.Verdict), true
}

// Declares names the notifications by which a server says that something it
// declares has changed.
func Declares(m *wire.Message) bool {
	return m.Method == "notifications/tools/list_changed" || m.Method == "notifications/prompts/list_changed"
}
