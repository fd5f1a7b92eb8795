package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// DefinitionFilter decides which definitions agents see.
type DefinitionFilter interface {
	// List receives the definitions on one page of a server's tool or prompt list. It returns the
	// definitions that agents may see, in the form that agents may see.
	List(server, kind string, sent []json.RawMessage) []json.RawMessage
	// Instructions filters the instructions of a server in the same way.
	Instructions(server, text string) string
	// Holds reports whether a server declares a tool that agents may not see.
	Holds(server, tool string) bool
	// Ready waits until the definitions of a server have been read once. The error says why they
	// cannot be read and may be shown to agents.
	Ready(ctx context.Context, server string) error
	// Doubt requests that the server's definitions are read again soon.
	Doubt(server string)
}

// UseDefinitionFilter sets the filter of definitions. It must be called before requests are served.
func (g *Gateway) UseDefinitionFilter(f DefinitionFilter) { g.filter = f }

// showAll is a DefinitionFilter that shows everything.
type showAll struct{}

func (showAll) List(_, _ string, sent []json.RawMessage) []json.RawMessage { return sent }
func (showAll) Instructions(_, text string) string                         { return text }
func (showAll) Holds(string, string) bool                                  { return false }
func (showAll) Ready(context.Context, string) error                        { return nil }
func (showAll) Doubt(string)                                               {}

// lists maps each list method to the result member that contains the definitions.
var lists = map[string]string{"tools/list": "tools", "prompts/list": "prompts"}

// filtered returns a server's answer with only what agents may see. An answer that needs no change
// is returned byte for byte.
func (g *Gateway) filtered(c *caller, server, method string, resp *wire.Message, err error) (*wire.Message, error) {
	if err != nil || resp.Result == nil {
		return resp, err
	}
	switch method {
	case "tools/list", "prompts/list":
		resp, err := g.filterList(server, lists[method], resp)
		return g.narrowed(c, server, method, resp, err)
	case "resources/list", "resources/templates/list":
		return g.narrowed(c, server, method, resp, nil)
	case "initialize", "server/discover":
		return g.filterHello(server, resp)
	}
	return resp, nil
}

func (g *Gateway) filterList(server, kind string, resp *wire.Message) (*wire.Message, error) {
	malformed := func(err error) error {
		return mcpproxy.Errorf(
			mcpproxy.CodeMalformed,
			err,
			"server %q sent a list of %s that is not valid",
			server,
			kind,
		)
	}
	// Some clients would also read a second list whose name differs only in case.
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
	shown := g.filter.List(server, kind, sent)
	if slices.EqualFunc(sent, shown, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return resp, nil
	}
	return resp.WithResult(wire.Set(resp.Result, joined(shown), kind)), nil
}

func (g *Gateway) filterHello(server string, resp *wire.Message) (*wire.Message, error) {
	members, err := wire.Members(resp.Result, "instructions", "capabilities", "protocolVersion", "serverInfo")
	if err != nil {
		return nil, mcpproxy.Errorf(mcpproxy.CodeMalformed, err, "server %q sent an answer to initialize that is not valid", server)
	}
	if members["instructions"] == nil {
		return resp, nil
	}
	said := wire.String(resp.Result, "instructions")
	switch shown := g.filter.Instructions(server, said); shown {
	case "":
		return resp.WithResult(wire.Without(resp.Result, "instructions")), nil
	case said:
		return resp, nil
	default:
		return resp.WithResult(wire.Set(resp.Result, wire.Quote(shown), "instructions")), nil
	}
}

// narrowable describes a list of which a token may permit only part: the member that contains the list, the member
// that names each element, and the kind of call that uses an element.
var narrowable = map[string]struct {
	list, name string
	kind       mcpproxy.Kind
}{
	"tools/list":               {"tools", "name", mcpproxy.KindTool},
	"prompts/list":             {"prompts", "name", mcpproxy.KindPrompt},
	"resources/list":           {"resources", "uri", mcpproxy.KindResource},
	"resources/templates/list": {"resourceTemplates", "uriTemplate", mcpproxy.KindResource},
}

// narrowed removes the elements of a list that the caller's token does not permit.
func (g *Gateway) narrowed(c *caller, server, method string, resp *wire.Message, err error) (*wire.Message, error) {
	what := narrowable[method]
	if err != nil || c.principal == auth.Owner || wire.Member(resp.Result, what.list) == nil {
		return resp, err
	}
	members, err := wire.Members(resp.Result, what.list)
	var sent []json.RawMessage
	if err == nil {
		err = json.Unmarshal(members[what.list], &sent)
	}
	if err != nil {
		return nil, mcpproxy.Errorf(
			mcpproxy.CodeMalformed,
			err,
			"server %q sent a list of %s that is not valid",
			server,
			what.list,
		)
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

// joined returns a JSON array of definitions, byte for byte.
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

// relistPause is the minimum interval between two checks of a link's tools.
const relistPause = 5 * time.Second

// doubt requests that a server's definitions are read again after a call on link. The server may
// have changed them without a notification, and only for this link.
func (g *Gateway) doubt(call *mcpproxy.Call, link *upstream.Link) {
	if call.Kind != mcpproxy.KindTool && call.Kind != mcpproxy.KindPrompt {
		return
	}
	g.filter.Doubt(call.Server)
	link.Relist(relistPause, func(tools []json.RawMessage) { g.filter.List(call.Server, "tools", tools) })
}

// refuseHeld answers a request about a tool that this caller may not see. The answer is the same as
// for a call of that tool. ok is false if the caller may see the tool.
func (g *Gateway) refuseHeld(
	ctx context.Context,
	c *caller,
	m *wire.Message,
	server, tool string,
) (resp *wire.Message, ok bool) {
	def, _ := g.catalog.Tool(server, tool)
	if !g.filter.Holds(server, tool) && (server == "" || g.permits(c, server, mcpproxy.KindTool, tool, def)) {
		return nil, false
	}
	call, err := g.callOf(c, server, m.WithParams(wire.Set(nil, wire.Quote(tool), "name")))
	if err != nil {
		return nil, false
	}
	d := g.gate.Decide(ctx, gate.Request{Call: call})
	if !d.Stopped() { // it was approved in the meantime
		return nil, false
	}
	c.judged.Store(true)
	return stopped(c, request{m, call}, d.Verdict), true
}

// startPatience is how long a call waits for a server that is starting.
const startPatience = 10 * time.Second

// awaitTools waits for the first read of a server's definitions. Otherwise a call shortly after the start would be
// told that its tool does not exist. It also waits for a server that is starting, but not for one that has failed. The
// error says why the definitions of a ready server could not be read.
func (g *Gateway) awaitTools(ctx context.Context, c *caller, server, tool string) error {
	s, ok := g.servers.Get(server)
	if !ok || len(g.catalog.Of(server)) > 0 || !g.permits(c, server, mcpproxy.KindTool, tool, nil) {
		return nil
	}
	if state := s.Status().State; state != upstream.Ready && state != upstream.Connecting {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	err := g.filter.Ready(ctx, server)
	if s.Status().State != upstream.Ready {
		return nil // the toolset's hint names the server's state
	}
	return err
}

// Declares reports whether m is a notification that a server's definitions have changed.
func Declares(m *wire.Message) bool {
	return m.Method == "notifications/tools/list_changed" || m.Method == "notifications/prompts/list_changed"
}
