package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// recorded maps the methods whose refusals are recorded to the kind of call.
var recorded = map[string]mcpproxy.Kind{
	"tools/call":          mcpproxy.KindTool,
	"prompts/get":         mcpproxy.KindPrompt,
	"resources/read":      mcpproxy.KindResource,
	"completion/complete": mcpproxy.KindCompletion,
}

// withRefusals returns f's answer to c's request m. If f refuses a call before the gate has seen
// it, withRefusals records the refusal, because no other code does.
func (g *Gateway) withRefusals(
	ctx context.Context, t endpoint, c *caller, m *wire.Message, f func() *wire.Message,
) *wire.Message {
	resp := guarded(m, f)
	if ctx.Err() == nil && !c.judged.Load() { // if the client has disconnected, nothing was refused
		if why := problemOf(resp); why != "" {
			g.refused(t, c, m, why)
		}
	}
	return resp
}

// problemOf returns the error message of an answer, or "".
func problemOf(resp *wire.Message) string {
	if resp.Error != nil {
		return wire.String(resp.Error, "message")
	}
	if string(wire.Member(resp.Result, "isError")) != "true" {
		return ""
	}
	var out struct {
		Content []struct{ Text string }
	}
	if json.Unmarshal(resp.Result, &out) != nil || len(out.Content) == 0 || out.Content[0].Text == "" {
		return "the call failed"
	}
	return out.Content[0].Text
}

// refused records that c's request m was refused, if it is a call.
func (g *Gateway) refused(t endpoint, c *caller, m *wire.Message, why string) {
	if !m.IsRequest() {
		return
	}
	name := wire.String(m.Params, "name")
	if m.Method == "resources/read" {
		name = wire.String(m.Params, "uri")
	}
	call := &mcpproxy.Call{RequestID: string(m.ID), Trace: c.trace(m)}
	inner := wire.String(m.Params, "arguments", "name")
	g.reject(t, c, call, wire.Partial{Method: m.Method, Name: name, Inner: inner}, why)
}

// refusedBody records that a body was refused because it is not a message. The record names the
// called tool if it can be read.
func (g *Gateway) refusedBody(t endpoint, c *caller, body []byte, why string) {
	seen := wire.PartialOf(body)
	if seen.Method == "" {
		seen.Method = "tools/call" // an unreadable body may well be a call
	}
	g.reject(t, c, &mcpproxy.Call{RequestID: string(wire.GuessID(body, body[max(0, len(body)-1024):]))}, seen, why)
}

// reject records that a call was refused. Seen is what could be read of its message.
func (g *Gateway) reject(t endpoint, c *caller, call *mcpproxy.Call, seen wire.Partial, why string) {
	kind, ok := recorded[seen.Method]
	if _, audit := g.audits[c.endpoint]; audit || !ok {
		return // questions to the audit tools are not calls
	}
	call.Channel = mcpproxy.ChannelMCP
	call.Kind = kind
	call.Principal, call.Grants = c.principal, c.grants
	call.Client = c.clientName()
	call.Agent = c.agent()
	call.Session, call.FlowSession = c.protocolSession(), c.flowSession()
	call.Server, call.Tool = t.names(seen.Name, seen.Inner)
	g.gate.Reject(call, why)
}

// refusedEndpoint records a call to an endpoint that does not exist. It reads only the beginning of
// the body.
func (g *Gateway) refusedEndpoint(r *http.Request, principal, why string) {
	if r.Method != http.MethodPost {
		return
	}
	server, _ := strings.CutPrefix(strings.TrimSuffix(r.URL.Path, "/"), "/mcp/s/")
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxRefusedBody)) // the bytes that arrived are enough
	g.refusedBody(&serverEndpoint{g: g, server: server}, g.callerOfRefused(r, principal), body, why)
}

// maxRefusedBody is the number of bytes that are read of a body that is refused anyway.
const maxRefusedBody = 64 << 10

// callerOfRefused returns the sender of a request that is refused before its session is looked up.
func (g *Gateway) callerOfRefused(r *http.Request, principal string) *caller {
	c := &caller{principal: principal, endpoint: strings.TrimSuffix(r.URL.Path, "/"), header: r.Header}
	s, ok := g.session(r.Header.Get(wire.HeaderSession))
	if ok && s.principal == principal && s.endpoint == c.endpoint {
		c.session, c.hello = s, s.hello
	}
	return c
}
