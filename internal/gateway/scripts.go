package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// Scripts runs agents' scripts (code mode).
type Scripts interface {
	// Tools returns the definitions of code mode's tools. The list is empty while code mode is off.
	Tools() []json.RawMessage
	// Search answers the search tool. It only considers tools for which may returns true. The error
	// says what is wrong with args.
	Search(args []byte, may func(*mcpproxy.Tool) bool) (string, error)
	// Execute runs the script of a call through the gate. The result is nil if the verdict stops
	// the call.
	Execute(ctx context.Context, call *mcpproxy.Call, user gate.User) (*mcpproxy.Result, mcpproxy.Verdict)
}

// UseScripts makes s run the scripts that arrive at /mcp. It must be called before requests are
// served.
func (g *Gateway) UseScripts(s Scripts) { g.scripts = s }

// scriptTools returns the code mode tools that agents may use now.
func (g *Gateway) scriptTools() []json.RawMessage {
	if g.scripts == nil {
		return nil
	}
	return g.scripts.Tools()
}

// script answers a call of a code mode tool; ok is false for all other tools.
func (g *Gateway) script(
	ctx context.Context,
	c *caller,
	m *wire.Message,
	name string,
	args []byte,
) (resp *wire.Message, ok bool) {
	if name != "search" && name != "execute" || len(g.scriptTools()) == 0 {
		return nil, false
	}
	if name == "search" {
		said, err := g.scripts.Search(
			args,
			func(t *mcpproxy.Tool) bool { return g.permits(c, t.Server, mcpproxy.KindTool, t.Name, t) },
		)
		if err != nil {
			return invalid(m.ID, "search: %v", err), true
		}
		return wire.NewResult(
			m.ID,
			wire.MustJSON(map[string]any{"content": []map[string]string{{"type": "text", "text": said}}}),
		), true
	}
	call, err := g.callOf(c, "", m)
	if err != nil {
		return invalid(m.ID, "%v", err), true
	}
	if call.Arguments == nil {
		call.Arguments = json.RawMessage("{}")
	}
	_, err = wire.Members(call.Arguments, "code", "script")
	if err != nil || wire.String(call.Arguments, "code")+wire.String(call.Arguments, "script") == "" {
		return invalid(
			m.ID,
			"execute needs code, a non-empty string such as async () => { … }, or the name of a stored script",
		), true
	}
	end, refusal := g.runs(m, mcpproxy.KindScript)
	if refusal != nil {
		return refusal, true
	}
	defer end()
	result, verdict := g.scripts.Execute(ctx, call, c.user())
	c.judged.Store(true)
	if result == nil {
		return stopped(c, request{m, call}, verdict), true
	}
	return wire.NewResult(m.ID, result.Raw), true
}

// ReadyFor waits until the definitions of a server have been read and filtered. The error says why
// they cannot be read.
func (g *Gateway) ReadyFor(ctx context.Context, server string) error {
	return g.filter.Ready(ctx, server)
}

// Send sends a script's call to its server and returns the answer. Only the gate may call it, after
// it has allowed the call. If the server asks the agent a question, it gets an error, because a
// script cannot answer questions.
func (g *Gateway) Send(ctx context.Context, call *mcpproxy.Call) *mcpproxy.Result {
	s, ok := g.servers.Get(call.Server)
	if !ok {
		return resultOf(nil, noServer(call.Server))
	}
	in, ok := g.session(call.Session)
	if !ok || in.principal != call.Principal {
		in = nil
	}
	link, release, err := g.plainLink(ctx, s, call.Principal, in)
	if err != nil {
		return resultOf(nil, err)
	}
	defer release()
	ctx = upstream.WithTraceparent(g.repeating(ctx, call), g.traceparent(call))
	o := g.relay(ctx, link, silent(link.Era, call))
	o.Keep = nil // a script's calls must not wait for memory that its earlier calls hold
	resp, err := link.Call(ctx, scriptRequest(link.Era, call), o)
	g.doubt(call, link)
	if err == nil && resp.Result != nil && wire.String(resp.Result, "resultType") == "input_required" {
		err = mcpproxy.Errorf(
			mcpproxy.CodeTool,
			nil,
			"the tool wants to ask the user a question: call it directly, not from a script",
		)
	}
	if err == nil && resp.Result != nil && s.Sizes().Over(resp.Result) {
		err = tooLarge(s, "a script gets whole results only")
	}
	return resultOf(resp, err)
}

// scriptRequest converts a script's call to a request to a server.
func scriptRequest(era wire.Era, call *mcpproxy.Call) *wire.Message {
	method, params := "resources/read", []byte(call.Arguments)
	if call.Kind == mcpproxy.KindTool {
		method, params = "tools/call", slices.Concat(
			[]byte(`{"name":`),
			wire.Quote(call.Tool),
			[]byte(`,"arguments":`),
			call.Arguments,
			[]byte("}"),
		)
	}
	if era == wire.Stateless {
		params = upstream.WithClientMeta(params, upstream.Hello(nil, wire.Stateless).Params)
	}
	out := wire.NewRequest([]byte("0"), method, params)
	if call.Definition != nil {
		out.Header = wire.ParamHeaders(call.Definition.InputSchema, call.Arguments)
	}
	return out
}

// silent returns the caller of a script's call. It drops notifications and refuses questions.
func silent(era wire.Era, call *mcpproxy.Call) *caller {
	return &caller{
		era:       era,
		principal: call.Principal,
		grants:    call.Grants,
		notify:    func(*wire.Message) {},
		ask: func(context.Context, *wire.Message) (*wire.Message, error) {
			return nil, mcpproxy.Errorf(mcpproxy.CodeCancelled, nil, "a script cannot answer questions")
		},
	}
}
