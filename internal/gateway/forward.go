package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// request is a client's request on its way to a server: the message to send, and the call that the
// gate checks.
type request struct {
	msg  *wire.Message // sent to the server; keeps the client's id
	call *mcpproxy.Call
}

// forward passes one request through the gate. Unless the gate stops the request, forward calls
// send with the message that may be sent to the server. No other function sends requests to a
// server.
func (g *Gateway) forward(
	ctx context.Context,
	c *caller,
	r request,
	send func(context.Context, *wire.Message) (*wire.Message, error),
) *wire.Message {
	end, refusal := g.runs(r.msg, r.call.Kind)
	if refusal != nil {
		return refusal
	}
	defer end()
	var resp *wire.Message
	var err error
	result, verdict := g.gate.Forward(
		ctx,
		gate.Request{Call: r.call, Caller: waiting(ctx, c.user())},
		func(ctx context.Context, call *mcpproxy.Call) *mcpproxy.Result {
			trace := g.traceparent(call)
			resp, err = send(upstream.WithTraceparent(g.repeating(ctx, call), trace), r.as(call, trace))
			return resultOf(resp, err)
		},
	)
	c.judged.Store(true)
	switch {
	case result == nil:
		return stopped(c, r, verdict)
	case err != nil:
		return failed(r.msg.ID, g.gate.Readable(r.call, err))
	case result.Changed && resp.Error != nil:
		return resp.WithError(result.Raw)
	case result.Changed:
		return resp.WithResult(result.Raw)
	}
	return resp
}

// as returns the request's message with the content of call and the server's own traceparent.
func (r request) as(call *mcpproxy.Call, traceparent string) *wire.Message {
	m := r.saying(call)
	if params := retraced(m.Params, traceparent); len(params) != len(m.Params) || !bytes.Equal(params, m.Params) {
		return m.WithParams(params)
	}
	return m
}

// saying returns the request's message with the content of call.
func (r request) saying(call *mcpproxy.Call) *wire.Message {
	if call == r.call {
		return r.msg
	}
	params := []byte(call.Extra)
	if params == nil {
		params = []byte("{}")
	}
	params = wire.Set(params, wire.Member(r.msg.Params, "name"), "name")
	if call.Arguments != nil {
		params = wire.Set(params, call.Arguments, "arguments")
	}
	out := r.msg.WithParams(params)
	if r.msg.Header != nil && call.Definition != nil {
		out.Header = wire.ParamHeaders(call.Definition.InputSchema, call.Arguments)
	}
	return out
}

// resultOf converts a server's answer for the gate.
func resultOf(resp *wire.Message, err error) *mcpproxy.Result {
	switch {
	case err != nil:
		return &mcpproxy.Result{Err: err}
	case resp.Error != nil:
		return &mcpproxy.Result{Raw: resp.Error, IsError: true}
	}
	return &mcpproxy.Result{Raw: resp.Result, IsError: string(wire.Member(resp.Result, "isError")) == "true"}
}

// callOf converts a client's request for the gate.
func (g *Gateway) callOf(c *caller, server string, m *wire.Message) (*mcpproxy.Call, error) {
	call := &mcpproxy.Call{
		Channel:     mcpproxy.ChannelMCP,
		Session:     c.protocolSession(),
		FlowSession: c.flowSession(),
		Principal:   c.principal,
		Grants:      c.grants,
		Client:      c.clientName(),
		Agent:       c.agent(),
		RequestID:   string(m.ID),
		Server:      server,
		Kind:        mcpproxy.KindMethod,
		Tool:        m.Method,
		Arguments:   m.Params,
		Trace:       c.trace(m),
	}
	params, err := wire.Members(m.Params, "name", "arguments", "uri", "_meta")
	if err != nil {
		return nil, err
	}
	switch m.Method {
	case "tools/call", "prompts/get":
		if call.Tool, err = text(params["name"]); err != nil {
			return nil, fmt.Errorf("name: %w", err)
		}
		call.Kind, call.Arguments = mcpproxy.KindPrompt, params["arguments"]
		if call.Extra = wire.Without(m.Params, "name", "arguments"); string(call.Extra) == "{}" {
			call.Extra = nil
		}
		if a := call.Arguments; a != nil && a[0] != '{' && string(a) != "null" {
			return nil, fmt.Errorf("arguments must be an object")
		}
		if m.Method == "tools/call" {
			call.Kind = mcpproxy.KindTool
			call.ParentID = c.evaluation
			call.Announced = c.evaluation != ""
			call.Definition, _ = g.catalog.Tool(server, call.Tool)
		}
	case "resources/read":
		call.Kind = mcpproxy.KindResource
		if call.Tool, err = text(params["uri"]); err != nil {
			return nil, fmt.Errorf("uri: %w", err)
		}
		call.Arguments, call.Extra = splitMeta(m.Params)
	case "completion/complete":
		call.Kind = mcpproxy.KindCompletion
		call.Arguments, call.Extra = splitMeta(m.Params)
	}
	return call, nil
}

// splitMeta separates the params from their _meta: the progress token in _meta differs each time the
// same request is sent.
func splitMeta(params json.RawMessage) (asked, about json.RawMessage) {
	meta := wire.Member(params, "_meta")
	if meta == nil {
		return params, nil
	}
	return wire.Without(params, "_meta"), wire.Set(nil, meta, "_meta")
}

func text(raw json.RawMessage) (string, error) {
	var s string
	if raw == nil || json.Unmarshal(raw, &s) != nil || s == "" {
		return "", fmt.Errorf("a non-empty string is required")
	}
	return s, nil
}

// stopped answers a request that the gate stopped or whose result it withheld.
func stopped(c *caller, r request, v mcpproxy.Verdict) *wire.Message {
	facts := map[string]any{
		"decision":   v.Decision,
		"risk_level": v.RiskLevel,
		"risk_score": v.RiskScore,
		"reason":     v.Reason,
		"rule":       v.Rule,
	}
	if v.ID != "" {
		facts["activity_id"] = v.ID
	}
	if v.Approval != "" {
		facts["approval"] = v.Approval
	}
	if code := v.Code(); code != "" {
		facts["code"] = code
	}
	if r.call.Kind != mcpproxy.KindTool && r.call.Kind != mcpproxy.KindScript {
		return wire.NewError(r.msg.ID, &wire.RPCError{Code: wire.CodeDenied, Message: journal.Explain(v), Data: facts})
	}
	return complete(c, wire.NewResult(r.msg.ID, toolError(journal.Explain(v), facts)), nil)
}

// toolError returns a tool result that describes an error.
func toolError(message string, structured map[string]any) []byte {
	return wire.MustJSON(map[string]any{
		"content":           []map[string]string{{"type": "text", "text": message}},
		"structuredContent": structured, "isError": true})
}

// guarded returns the answer of f to m. A panic of f ends only the request that caused it, because the daemon serves
// others at the same time.
func guarded(m *wire.Message, f func() *wire.Message) (resp *wire.Message) {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("a request could not be served", "method", m.Method, "panic", r, "stack", string(debug.Stack()))
			resp = failed(m.ID, mcpproxy.Errorf(mcpproxy.CodeInternal, nil, "the request could not be served"))
		}
	}()
	return f()
}

// failed answers a request for which the server gave no usable answer.
func failed(id []byte, err error) *wire.Message {
	facts := map[string]any{"code": mcpproxy.CodeOf(err)}
	if e, ok := errors.AsType[*mcpproxy.Error](err); ok && e.Retryable {
		facts["retryable"] = true
		if e.Fix != "" {
			facts["suggested_fix"] = e.Fix
		}
	}
	return wire.NewError(id, &wire.RPCError{Code: wire.CodeInternal, Message: mcpproxy.AgentMessage(err), Data: facts})
}

func invalid(id []byte, format string, args ...any) *wire.Message {
	return wire.NewError(id, &wire.RPCError{Code: wire.CodeInvalidParams, Message: fmt.Sprintf(format, args...)})
}

func unknownMethod(m *wire.Message) *wire.Message {
	return wire.NewError(
		m.ID,
		&wire.RPCError{Code: wire.CodeMethodNotFound, Message: fmt.Sprintf("unknown method %q", m.Method)},
	)
}

// removed are the methods that revision 2026-07-28 removed.
var removed = []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}

func isRemoved(method string) bool { return slices.Contains(removed, method) }
