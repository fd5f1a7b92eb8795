package codemode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
	"mcpproxy/internal/codemode/frame"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/suggest"
)

// asked is a request of a script to its host.
type asked struct {
	Op     string         `json:"op"`
	Server string         `json:"server"`
	Tool   string         `json:"tool"`
	Args   jsontext.Value `json:"args"`
	URI    string         `json:"uri"`
	Key    string         `json:"key"`
	Value  jsontext.Value `json:"value"`
	TTL    *float64       `json:"ttl"` // seconds

	later func(do func()) // runs work after the answer is sent
}

// serve answers one call of the worker. It returns when the worker has read the answer, so the
// number of pending answers never exceeds the number of concurrent calls. Deferred work runs
// afterwards, while the script continues.
func (x *execution) serve(ctx context.Context, f frame.Frame) {
	var rest []func()
	defer func() {
		for _, do := range rest {
			x.behind(do)
		}
	}()
	later := func(do func()) { rest = append(rest, do) }
	if ctx.Err() != nil {
		x.answered(f)
		return
	}
	value, err := x.answer(ctx, f.Body, later)
	if wanted := x.answered(f); !wanted || ctx.Err() != nil {
		return
	}
	reply := frame.Frame{Kind: frame.Value, ID: f.ID, Body: value}
	if err != nil {
		body, _ := json.Marshal(failureFrom(err)) // cannot fail: strings and booleans only
		reply.Kind, reply.Body = frame.Fault, body
	}
	_ = x.out.Write(reply) // the receiver notices that the worker has ended
}

// behind runs deferred work in the background.
func (x *execution) behind(do func()) {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("the work after a script's call failed", "panic", r, "stack", string(debug.Stack()))
		}
	}()
	do()
}

// answer handles a request of the script. Later runs work after the answer is sent. A panic fails
// only this call.
func (x *execution) answer(ctx context.Context, body []byte, later func(func())) (value []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("a call of a script could not be served", "panic", r, "stack", string(debug.Stack()))
			err = mcpproxy.Errorf(mcpproxy.CodeInternal, nil, "the call could not be served")
		}
	}()
	var a asked
	if err := strict.Unmarshal(body, &a); err != nil { // strict: refuses duplicate names at any depth
		call := x.inner(&mcpproxy.Call{Kind: mcpproxy.KindTool, Server: a.Server, Tool: a.Tool})
		return nil, x.rejected(
			ctx,
			call,
			mcpproxy.Errorf(mcpproxy.CodeMalformed, err, "what the script passes on cannot be read: %v", err),
		)
	}
	a.later = later
	switch a.Op {
	case "tool":
		return x.tool(ctx, a)
	case "resource":
		return x.resource(ctx, a)
	case "put", "get", "delete", "keys":
		return x.stash(ctx, a)
	}
	return nil, mcpproxy.Errorf(mcpproxy.CodeMalformed, nil, "unknown request of a script")
}

// tool calls a server's tool.
func (x *execution) tool(ctx context.Context, a asked) ([]byte, error) {
	def, _ := x.h.Catalog.Tool(a.Server, a.Tool)
	call := x.inner(&mcpproxy.Call{
		Kind:       mcpproxy.KindTool,
		Server:     a.Server,
		Tool:       a.Tool,
		Arguments:  json.RawMessage(a.Args),
		Definition: def,
	})
	if err := x.readable(a); err != nil {
		return nil, x.rejected(ctx, call, err)
	}
	if !x.h.Gate.Permits(call) {
		return x.send(ctx, a, call) // the gate refuses it: do not reveal whether a forbidden tool exists
	}
	if err := x.reachable(ctx, a.Server); err != nil {
		return nil, x.rejected(ctx, call, err)
	}
	var ok bool
	call.Definition, ok = x.h.Catalog.Tool(a.Server, a.Tool)
	if !ok && (x.h.Holds == nil || !x.h.Holds(a.Server, a.Tool)) {
		return nil, x.rejected(ctx, call, x.noTool(call))
	}
	return x.send(ctx, a, call)
}

// readable refuses arguments that no tool accepts.
func (x *execution) readable(a asked) error {
	if len(a.Args) > x.limits.Args {
		return mcpproxy.Errorf(
			mcpproxy.CodeTooLarge,
			nil,
			"the arguments have %d bytes, %d are allowed (code_execution.max_args_bytes)",
			len(a.Args),
			x.limits.Args,
		)
	}
	if len(a.Args) == 0 || a.Args[0] != '{' {
		return mcpproxy.Errorf(mcpproxy.CodeMalformed, nil, "the arguments of a tool are an object")
	}
	return nil
}

// reachable refuses unknown servers and waits for the definitions of known ones.
func (x *execution) reachable(ctx context.Context, server string) error {
	if err := x.known(server); err != nil {
		return err
	}
	if x.h.Ready == nil {
		return nil
	}
	return x.h.Ready(ctx, server)
}

// rejected records a call that is refused before the gate decides it, and returns the reason.
func (x *execution) rejected(ctx context.Context, call *mcpproxy.Call, why error) error {
	if ctx.Err() == nil {
		x.h.Gate.Reject(call, mcpproxy.AgentMessage(why))
	}
	return why
}

// inner returns a call of the script, on behalf of the script's caller.
func (x *execution) inner(call *mcpproxy.Call) *mcpproxy.Call {
	own := x.call
	call.Channel, call.ParentID = mcpproxy.ChannelCode, own.ID
	call.Session = own.Session
	call.FlowSession = own.FlowSession
	call.Principal, call.Grants = own.Principal, own.Grants
	call.Client = own.Client
	call.Agent = own.Agent
	call.Trace = mcpproxy.Trace{
		ID:     own.Trace.ID,
		Parent: own.Trace.Span,
		Remote: own.Trace.Remote,
		Flags:  own.Trace.Flags,
	}
	return call
}

// known refuses unknown servers.
func (x *execution) known(server string) error {
	names := x.h.Servers()
	if slices.Contains(names, server) {
		return nil
	}
	e := mcpproxy.Errorf(mcpproxy.CodeServerNotFound, nil, "there is no server %q", cut(server, 100))
	if near := suggest.Nearest(server, names); near != "" {
		e.Message += fmt.Sprintf(": did you mean %q?", near)
	}
	return e
}

// noTool returns the error for an unknown tool, and suggests a similar tool that the caller may
// use.
func (x *execution) noTool(call *mcpproxy.Call) error {
	e := mcpproxy.Errorf(
		mcpproxy.CodeToolNotFound,
		nil,
		"the server %q has no tool %q",
		call.Server,
		cut(call.Tool, 100),
	)
	var names []string
	for _, t := range x.h.Catalog.Of(call.Server) {
		other := *call
		if other.Tool, other.Definition = t.Name, t; x.h.Gate.Permits(&other) {
			names = append(names, t.Name)
		}
	}
	if near := suggest.Nearest(call.Tool, names); near != "" {
		e.Message += fmt.Sprintf(": did you mean %q?", near)
	}
	return e
}

// send passes one call of the script through the gate to its server. It is the only path to a
// server.
func (x *execution) send(ctx context.Context, a asked, call *mcpproxy.Call) ([]byte, error) {
	if err := x.count(); err != nil {
		return nil, x.rejected(ctx, call, err)
	}
	if locked, ok := x.lock.enter(x.limits.Groups[call.Server]); !ok {
		d := x.h.Gate.Decide(ctx, gate.Request{Call: call, Refusal: &policy.Ruling{
			Decision: mcpproxy.Deny,
			Rule:     mcpproxy.GroupRule + locked,
			Reason: fmt.Sprintf(
				"%s: this script has used the strict group %s, and %s belongs to another one.",
				mcpproxy.CodeGroupDenied,
				locked,
				call.Server,
			),
		}})
		return nil, &stop{d.Verdict}
	}
	caller := gate.Caller{User: x.user, Pause: x.rest.ask, Later: a.later}
	result, verdict := x.h.Gate.Forward(ctx, gate.Request{Call: call, Caller: caller},
		func(ctx context.Context, call *mcpproxy.Call) *mcpproxy.Result {
			ctx, stop := x.bounded(ctx)
			defer stop()
			return explained(ctx, call, x.h.Send(ctx, call))
		})
	switch {
	case result == nil:
		return nil, &stop{verdict}
	case result.Err != nil:
		return nil, x.h.Gate.Readable(call, result.Err)
	case len(result.Raw) > x.limits.Text:
		return nil, mcpproxy.Errorf(
			mcpproxy.CodeTooLarge,
			nil,
			"the answer has %d bytes, %d are allowed",
			len(result.Raw),
			x.limits.Text,
		)
	case call.Kind == mcpproxy.KindResource:
		return unwrapResource(result)
	}
	return unwrap(result)
}

// errCallTime ends a call when the script's time is nearly over.
var errCallTime = errors.New("the script has no more time for the call")

// bounded returns a context that ends a call shortly before the script's time is over. The script
// then learns which server did not answer, and can continue without it. The server's own timeout
// fires first, so that its circuit breaker counts the failure. The caller must call stop.
func (x *execution) bounded(ctx context.Context) (_ context.Context, stop func()) {
	rest := x.clock.rest()
	reserve := min(rest/10, time.Second) // lets the script continue without the answer
	ctx, stop = x.clock.within(ctx, reserve/2)
	if x.h.Patient != nil {
		ctx = x.h.Patient(ctx, rest-reserve)
	}
	return ctx, stop
}

// explained returns the result of a call. If the call timed out, the error names its server.
func explained(ctx context.Context, call *mcpproxy.Call, result *mcpproxy.Result) *mcpproxy.Result {
	if result.Err != nil && errors.Is(context.Cause(ctx), errCallTime) {
		result.Err = mcpproxy.Errorf(
			mcpproxy.CodeTimeout,
			result.Err,
			"server %q did not answer in the time that the script had left",
			call.Server,
		)
	}
	return result
}

// count counts a call against the script's limit.
func (x *execution) count() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.calls >= x.limits.Calls {
		return mcpproxy.Errorf(
			mcpproxy.CodeTooLarge,
			nil,
			"the script has made its %d calls (code_execution.max_tool_calls)",
			x.limits.Calls,
		)
	}
	x.calls++
	return nil
}

// stop is the error of a call that the gate stopped.
type stop struct{ verdict mcpproxy.Verdict }

func (s *stop) Error() string { return journal.Explain(s.verdict) }

// failureFrom converts an error to the form that scripts and agents read.
func failureFrom(err error) *Failure {
	if s, ok := errors.AsType[*stop](err); ok {
		f := &Failure{Code: mcpproxy.CodeDenied, Message: journal.Explain(s.verdict), ActivityID: s.verdict.ID}
		if code := s.verdict.Code(); code != "" {
			f.Code = code
		}
		return f
	}
	e, ok := errors.AsType[*mcpproxy.Error](err)
	if !ok && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return &Failure{Code: mcpproxy.CodeCancelled, Message: "the call was cancelled"}
	}
	f := &Failure{Code: mcpproxy.CodeOf(err), Message: mcpproxy.AgentMessage(err)}
	switch {
	case ok && e.Retryable:
		f.Retryable, f.SuggestedFix = true, e.Fix
	case f.Code == mcpproxy.CodeTimeout || f.Code == mcpproxy.CodeUpstream:
		f.Retryable, f.SuggestedFix = true, "try again later, if the tool only reads"
	case f.Code == mcpproxy.CodeToolNotFound || f.Code == mcpproxy.CodeServerNotFound:
		f.SuggestedFix = "look the name up with the search tool"
	}
	return f
}
