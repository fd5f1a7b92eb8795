package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// bridge sends a request that the gate allowed to a server and returns the answer. It translates
// between the protocol eras if the client and the server use different ones.
func (g *Gateway) bridge(ctx context.Context, link *upstream.Link, c *caller, m *wire.Message) (*wire.Message, error) {
	switch {
	case link.Era == wire.Stateful && c.era == wire.Stateless:
		return g.toStateful(ctx, link, c, m)
	case link.Era == wire.Stateless && c.era == wire.Stateful:
		return g.toStateless(ctx, link, c, m)
	case m.Method == "subscriptions/listen":
		return g.relisten(ctx, link, c, m)
	}
	return link.Call(ctx, m, g.relay(ctx, link, c))
}

// relisten forwards a subscription to a stateless server. It rewrites the request id in each
// notification, because the id upstream is a different one.
func (g *Gateway) relisten(
	ctx context.Context,
	link *upstream.Link,
	c *caller,
	m *wire.Message,
) (*wire.Message, error) {
	forwardNotification := func(n *wire.Message) {
		if wire.Member(n.Params, "_meta", wire.MetaSubscription) != nil {
			n = n.WithParams(wire.Set(n.Params, m.ID, "_meta", wire.MetaSubscription))
		}
		g.forwardNotification(ctx, link.Server(), c, n)
	}
	return link.Listen(ctx, m, upstream.CallOptions{Events: forwardNotification, Keep: kept(ctx)})
}

// relay forwards the messages that a server sends for a call before the answer. It also keeps the
// memory of the answer reserved until c has it.
func (g *Gateway) relay(ctx context.Context, link *upstream.Link, c *caller) upstream.CallOptions {
	var q questions
	forwardNotification := func(m *wire.Message) {
		if m.IsRequest() {
			q.answer(ctx, g, link, c, m)
			return
		}
		g.forwardNotification(ctx, link.Server(), c, m)
	}
	return upstream.CallOptions{Events: forwardNotification, Keep: kept(ctx)}
}

const (
	maxQuestions = 64  // open questions of one server in one exchange
	maxRefusals  = 256 // refusals waiting to be written; further ones are dropped
)

// questions are the requests that a server sends to the client within one exchange.
type questions struct{ waiting, refused atomic.Int32 }

// answer starts to answer a server's question and returns at once, because the goroutine that reads
// from the server calls it. A server that asks too many questions gets an error. If the server does
// not read that error, further questions get no answer.
func (q *questions) answer(ctx context.Context, g *Gateway, link *upstream.Link, c *caller, m *wire.Message) {
	if q.waiting.Add(1) <= maxQuestions {
		go func() {
			defer q.waiting.Add(-1)
			ctx, stop := link.While(ctx)
			defer stop()
			g.answer(ctx, link, c, m)
		}()
		return
	}
	q.waiting.Add(-1)
	if q.refused.Add(1) > maxRefusals {
		q.refused.Add(-1)
		return
	}
	go func() {
		defer q.refused.Add(-1)
		busy := fmt.Sprintf("more than %d requests wait for an answer already", maxQuestions)
		_ = link.Notify(ctx, wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeInternal, Message: busy}))
	}()
}

// answer sends a server's own request to the client and returns the client's answer to the server.
// Both pass the gate, because the client's answer is data that leaves for the server.
func (g *Gateway) answer(ctx context.Context, link *upstream.Link, c *caller, m *wire.Message) {
	resp := guarded(m, func() *wire.Message {
		resp, err := c.ask(ctx, m)
		if err != nil {
			return failed(m.ID, err)
		}
		return resp
	})
	said := resp.Result
	if said == nil {
		said = resp.Error // the answer or error contains text as well
	}
	call := &mcpproxy.Call{
		Channel:     mcpproxy.ChannelMCP,
		Kind:        mcpproxy.KindAnswer,
		Session:     c.protocolSession(),
		FlowSession: c.flowSession(),
		Principal:   c.principal,
		Grants:      c.grants,
		Client:      c.clientName(),
		Agent:       c.agent(),
		RequestID:   string(m.ID),
		Server:      link.Server(),
		Tool:        m.Method,
		Arguments:   said,
	}
	r := request{msg: m, call: call}
	sent := g.forward(ctx, c, r, func(ctx context.Context, _ *wire.Message) (*wire.Message, error) {
		if err := link.Notify(ctx, resp); err != nil {
			return nil, err
		}
		// The server's question is recorded as the result of this exchange.
		return wire.NewResult(m.ID, orEmpty(m.Params)), nil
	})
	if sent.Error != nil {
		_ = link.Notify(context.WithoutCancel(ctx), sent)
	}
}

func orEmpty(raw []byte) []byte {
	if raw == nil {
		return []byte("{}")
	}
	return raw
}

// maxRounds limits how often a stateless server may ask for input within one call.
const maxRounds = 10

// toStateless serves a client of the stateful era from a stateless server. Each input_required
// result becomes requests on the client's stream.
func (g *Gateway) toStateless(
	ctx context.Context,
	link *upstream.Link,
	c *caller,
	m *wire.Message,
) (*wire.Message, error) {
	switch m.Method {
	case "ping":
		return wire.NewResult(m.ID, []byte("{}")), nil
	case "logging/setLevel":
		if !c.session.setLogLevel(wire.String(m.Params, "level")) {
			return invalid(m.ID, "invalid level: must be one of %s", strings.Join(logLevels, ", ")), nil
		}
		return wire.NewResult(m.ID, []byte("{}")), nil
	case "resources/subscribe", "resources/unsubscribe":
		if !c.session.subscribe(ctx, link, wire.String(m.Params, "uri"), m.Method == "resources/subscribe") {
			return invalid(m.ID, "a session watches at most %d resources: unsubscribe from one first", maxWatched), nil
		}
		return wire.NewResult(m.ID, []byte("{}")), nil
	}
	params := upstream.WithClientMeta(m.Params, c.hello)
	if level := c.session.wantedLog(); level != "" {
		params = wire.Set(params, wire.Quote(level), "_meta", wire.MetaLogLevel)
	}
	out := m.WithParams(params)
	if m.Method == "tools/call" {
		if def, ok := g.catalog.Tool(link.Server(), wire.String(m.Params, "name")); ok {
			out.Header = wire.ParamHeaders(def.InputSchema, wire.Member(m.Params, "arguments"))
		}
	}
	header := out.Header
	for range maxRounds {
		resp, err := link.Call(ctx, out, g.relay(ctx, link, c))
		if err != nil || resp.Result == nil || wire.String(resp.Result, "resultType") != "input_required" {
			return resp, err
		}
		answers, err := g.inputs(ctx, link, c, resp.Result)
		if err != nil {
			return nil, err
		}
		next := wire.Set(params, answers, "inputResponses")
		if state := wire.Member(resp.Result, "requestState"); state != nil {
			next = wire.Set(next, state, "requestState")
		}
		out = m.WithParams(next)
		out.Header = header
	}
	return nil, mcpproxy.Errorf(
		mcpproxy.CodeUpstream,
		nil,
		"server %q asked for input more than %d times",
		link.Server(),
		maxRounds,
	)
}

// inputs asks a stateful client for everything that a stateless server needs. The answers pass the
// gate together, because they are data that leaves for the server.
func (g *Gateway) inputs(ctx context.Context, link *upstream.Link, c *caller, result []byte) ([]byte, error) {
	wanted, err := wire.Members(wire.Member(result, "inputRequests"))
	if err != nil {
		return nil, mcpproxy.Errorf(
			mcpproxy.CodeMalformed,
			err,
			"server %q asked for input in a form that is not valid",
			link.Server(),
		)
	}
	answers := map[string]json.RawMessage{}
	for key, raw := range wanted {
		method, params := wire.String(raw, "method"), wire.Member(raw, "params")
		if method == "" || params != nil && params[0] != '{' {
			return nil, mcpproxy.Errorf(
				mcpproxy.CodeMalformed,
				nil,
				"server %q asked for input in a form that is not valid",
				link.Server(),
			)
		}
		resp, err := c.ask(ctx, wire.NewRequest([]byte("0"), method, params))
		if err != nil {
			return nil, err
		}
		if resp.Result == nil {
			return nil, mcpproxy.Errorf(
				mcpproxy.CodeCancelled,
				nil,
				"the client declined: %s",
				wire.String(resp.Error, "message"),
			)
		}
		answers[key] = resp.Result
	}
	out := wire.MustJSON(answers)
	call := &mcpproxy.Call{
		Channel:     mcpproxy.ChannelMCP,
		Kind:        mcpproxy.KindAnswer,
		Session:     c.protocolSession(),
		FlowSession: c.flowSession(),
		Principal:   c.principal,
		Agent:       c.agent(),
		Grants:      c.grants,
		Server:      link.Server(),
		Tool:        "inputResponses",
		Arguments:   out,
	}
	d := g.gate.Decide(ctx, gate.Request{Call: call, Caller: waiting(ctx, c.user())})
	if d.Stopped() {
		return nil, mcpproxy.Errorf(mcpproxy.CodeDenied, nil, "%s", d.Verdict.Reason)
	}
	return out, nil
}

// toStateful serves a client of the stateless era from a stateful server.
func (g *Gateway) toStateful(
	ctx context.Context,
	link *upstream.Link,
	c *caller,
	m *wire.Message,
) (*wire.Message, error) {
	info := wire.Member(link.Hello, "serverInfo")
	if isRemoved(m.Method) {
		return unknownMethod(m), nil
	}
	switch m.Method {
	case "server/discover":
		return complete(c, wire.NewResult(m.ID, discoverFrom(link.Hello)), info), nil
	case "subscriptions/listen":
		return g.listen(ctx, c, m, link)
	}
	if c.logLevel != "" && wire.Member(link.Hello, "capabilities", "logging") != nil {
		level := wire.NewRequest([]byte("0"), "logging/setLevel", wire.Set(nil, wire.Quote(c.logLevel), "level"))
		if _, err := link.Call(ctx, level, upstream.CallOptions{}); err != nil {
			return nil, err
		}
	}
	// A server of that era refuses a request whose _meta names the newer revision.
	meta := wire.Without(
		wire.Member(m.Params, "_meta"),
		wire.MetaVersion,
		wire.MetaClientInfo,
		wire.MetaCapabilities,
		wire.MetaLogLevel,
	)
	resp, err := link.Call(ctx, m.WithParams(wire.Set(m.Params, meta, "_meta")), g.relay(ctx, link, c))
	if err != nil && !slices.Contains(statefulMethods, m.Method) {
		return unknownMethod(m), nil // some servers refuse on the HTTP level
	}
	if err != nil {
		return nil, err
	}
	if cacheable(m.Method) {
		resp = uncached(resp)
	}
	return complete(c, resp, info), nil
}

// statefulMethods are the requests that a client of the stateless era may send to a server of the
// stateful era.
var statefulMethods = []string{
	"tools/list",
	"tools/call",
	"resources/list",
	"resources/templates/list",
	"resources/read",
	"prompts/list",
	"prompts/get",
	"completion/complete",
}

// cacheable are the methods whose results carry caching hints.
func cacheable(method string) bool {
	switch method {
	case "tools/list",
		"prompts/list",
		"resources/list",
		"resources/templates/list",
		"resources/read",
		"server/discover":
		return true
	}
	return false
}

// discoverFrom converts an initialize result to a discover result.
func discoverFrom(initialize []byte) []byte {
	out := map[string]json.RawMessage{
		"supportedVersions": wire.MustJSON(append([]string{wire.Latest}, wire.StatefulVersions...)),
		"capabilities":      orEmpty(wire.Member(initialize, "capabilities")),
		"ttlMs":             json.RawMessage("0"),
		"cacheScope":        json.RawMessage(`"private"`),
	}
	if v := wire.Member(initialize, "instructions"); v != nil {
		out["instructions"] = v
	}
	return wire.MustJSON(out)
}

// initializeFrom converts a discover result to an initialize result.
func initializeFrom(discover []byte, version string) []byte {
	out := map[string]json.RawMessage{
		"protocolVersion": wire.MustJSON(version),
		"capabilities":    orEmpty(wire.Member(discover, "capabilities")),
		"serverInfo":      wire.Member(discover, "_meta", wire.MetaServerInfo),
	}
	if out["serverInfo"] == nil {
		out["serverInfo"] = json.RawMessage(`{"name":"unnamed","version":""}`)
	}
	if v := wire.Member(discover, "instructions"); v != nil {
		out["instructions"] = v
	}
	return wire.MustJSON(out)
}

// capabilityFor returns the client capability that a server's request requires.
func capabilityFor(method string) string {
	switch method {
	case "elicitation/create":
		return "elicitation"
	case "sampling/createMessage":
		return "sampling"
	case rootsMethod:
		return "roots"
	}
	return ""
}

// mayAsk returns an error if a server's request cannot be sent to a client.
func (c *caller) mayAsk(method string) error {
	capability := capabilityFor(method)
	if capability != "" && wire.Member(c.hello, "capabilities", capability) == nil {
		return mcpproxy.Errorf(
			mcpproxy.CodeUpstream,
			nil,
			"the client did not declare the capability %s",
			fmt.Sprintf("%q", capability),
		)
	}
	return nil
}
