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

// DefinitionFilter decides which definitions of servers agents see.
type DefinitionFilter interface {
	// List receives the definitions on a page of a server's list of tools or prompts, and returns
	// those that agents may see, in the form in which they may see them.
	List(server, kind string, sent []json.RawMessage) []json.RawMessage
	// Instructions does the same for the instructions of a server.
	Instructions(server, text string) string
	// Holds reports whether a server declares a tool that agents may not see.
	Holds(server, tool string) bool
	// Ready waits until the definitions of a server have been read once. The error says
	// why they cannot be read; agents may see it.
	Ready(ctx context.Context, server string) error
	// Doubt asks for the server's definitions to be read again soon.
	Doubt(server string)
}

// UseDefinitionFilter sets the filter of definitions. Call it before requests are served.
func (g *Gateway) UseDefinitionFilter(f DefinitionFilter) { g.filter = f }

// showAll is a DefinitionFilter that shows everything.
type showAll struct{}

func (showAll) List(_, _ string, sent []json.RawMessage) []json.RawMessage { return sent }
func (showAll) Instructions(_, text string) string                         { return text }
func (showAll) Holds(string, string) bool                                  { return false }
func (showAll) Ready(context.Context, string) error                        { return nil }
func (showAll) Doubt(string)                                               {}

// lists names the member that holds the definitions of a result, by method.
var lists = map[string]string{"tools/list": "tools", "prompts/list": "prompts"}

// filtered returns a server's answer as agents may see it. An answer that needs no change
// stays the same byte for byte.
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
	shown := g.filter.List(server, kind, sent)
	if slices.EqualFunc(sent, shown, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return resp, nil
	}
	return resp.WithResult(wire.Set(resp.Result, joined(shown), kind)), nil
}

func (g *Gateway) filterHello(server string, resp *wire.Message) (*wire.Message, error) {
	members, err := wire.Members(resp.Result, "instructions", "capabilities", "protocolVersion", "serverInfo")
	if err != nil {
		return nil, mcpproxy.Errorf(mcpproxy.CodeMalformed, err, "server %q greets in a form that is not valid", server)
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

// narrowable describes the lists of which a token may permit a part: the member that holds
// the list, the member that names each element, and the kind of call to an element.
var narrowable = map[string]struct {
	list, name string
	kind       mcpproxy.Kind
}{
	"tools/list":               {"tools", "name", mcpproxy.KindTool},
	"prompts/list":             {"prompts", "name", mcpproxy.KindPrompt},
	"resources/list":           {"resources", "uri", mcpproxy.KindResource},
	"resources/templates/list": {"resourceTemplates", "uriTemplate", mcpproxy.KindResource},
}

// narrowed returns a list without the elements that the caller's token does not permit.
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

// relistPause is how often a link's tools are listed again at most.
const relistPause = 5 * time.Second

// doubt asks for a server's definitions to be read again once it was called on link: it may have
// changed them without a word, and for this link alone.
func (g *Gateway) doubt(call *mcpproxy.Call, link *upstream.Link) {
	if call.Kind != mcpproxy.KindTool && call.Kind != mcpproxy.KindPrompt {
		return
	}
	g.filter.Doubt(call.Server)
	link.Relist(relistPause, func(tools []json.RawMessage) { g.filter.List(call.Server, "tools", tools) })
}

// refuseHeld answers a question about a tool that this caller may not see in the same way as
// a call of that tool. It is not ok if the caller may see the tool.
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
	if !d.Stopped() { // it was approved just now
		return nil, false
	}
	c.judged.Store(true)
	return stopped(c, request{m, call}, d.Verdict), true
}

// startPatience is how long a call waits for a server that is starting.
const startPatience = 10 * time.Second

// awaitTools waits for the first reading of a server of which nothing is known yet, so that a call
// right after the start is not told that its tool does not exist. It waits for a server that is
// starting, too, but not for one that has failed. The error says why the definitions of a server
// that is ready could not be read.
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
		return nil // the hint of the toolset says what state the server is in
	}
	return err
}

// Declares reports whether m notifies of a change in what a server declares.
func Declares(m *wire.Message) bool {
	return m.Method == "notifications/tools/list_changed" || m.Method == "notifications/prompts/list_changed"
}
