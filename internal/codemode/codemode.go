package codemode

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/wire"
)

// Limits are the limits of scripts (configuration section code_execution).
type Limits struct {
	Enabled    bool
	Timeout    time.Duration // of one execution, without the time that people need to answer
	HeapMB     int
	Concurrent int // executions at once
	Calls      int // tool calls of one execution
	Parallel   int // concurrent calls of one execution
	Code       int // bytes of a script
	Args       int // bytes of one call's arguments
	Output     int // bytes of a result, and of the console output
	Text       int // bytes of one answer
	Frame      int // bytes of one frame from a worker
	StashKeys  int
	StashValue int // bytes of one value
	StashTotal int // bytes of all values of all sessions
	StashTTL   time.Duration
	Groups     map[string]string // strict group of each server
	Confined   bool              // run a script only if every layer of the sandbox is active
}

// DefaultLimits returns the limits of an empty configuration.
func DefaultLimits() Limits {
	return Limits{
		Timeout:    5 * time.Second,
		HeapMB:     64,
		Concurrent: 8,
		Calls:      50,
		Parallel:   8,
		Code:       64 << 10,
		Args:       1 << 20,
		Output:     1 << 20,
		Text:       10 << 20,
		Frame:      64 << 20,
		StashKeys:  256,
		StashValue: 16 << 20,
		StashTotal: 128 << 20,
		StashTTL:   time.Hour,
	}
}

// Sources are the functions that a host uses.
type Sources struct {
	Gate    *gate.Gate
	Catalog *catalog.Catalog
	Engine  Engine
	// Send sends an allowed call to its server. Only the gate calls it.
	Send func(context.Context, *mcpproxy.Call) *mcpproxy.Result
	// Patient returns a context under which a server has at most d to answer. A later answer counts
	// as that server's timeout. It may be nil.
	Patient func(ctx context.Context, d time.Duration) context.Context
	// Ready waits until a server's definitions were read. It may be nil.
	Ready func(ctx context.Context, server string) error
	// Holds reports whether a server declares a tool that agents may not see; the gate gives the
	// reason. It may be nil.
	Holds func(server, tool string) bool
	// Servers returns the names of the known servers.
	Servers func() []string
	// Stored returns the folder of the owner's scripts; "" disables them. It may be nil.
	Stored func() string
}

// Host runs scripts.
type Host struct {
	Sources
	limits  atomic.Pointer[Limits]
	stashes stashes
	rooms   room
	weak    sync.Once // missing layers were logged
}

// New returns a host.
func New(s Sources, l Limits) *Host {
	h := &Host{Sources: s}
	h.Configure(l)
	return h
}

// Configure changes the limits of later executions.
func (h *Host) Configure(l Limits) {
	if old := h.limits.Swap(&l); old != nil && !maps.Equal(old.Groups, l.Groups) {
		h.stashes.clear() // the groups may have changed
	}
	h.rooms.resize(l.Concurrent)
	h.Engine.Configure(l)
}

// Enabled reports whether scripts are run at all.
func (h *Host) Enabled() bool { return h.limits.Load().Enabled }

// Forget drops the stored values of a flow session that has ended, because the record of where a
// value came from has ended too.
func (h *Host) Forget(flowSession string) { h.stashes.forget(flowSession) }

// Close stops the engine's idle processes.
func (h *Host) Close() { h.Engine.Close() }

// Execute runs the script of call. Its arguments are {"code": …}, or {"script": …} with the name of
// a stored script; Execute then adds the script's text to them, so that it is recorded. The call is
// of kind script and has the caller's session, principal and other fields. User asks the person
// behind the caller and may be nil. The result is that of an MCP tool. It is nil if the verdict
// stops the script or withholds its result.
func (h *Host) Execute(ctx context.Context, call *mcpproxy.Call, user gate.User) (*mcpproxy.Result, mcpproxy.Verdict) {
	call.Kind, call.Channel = mcpproxy.KindScript, mcpproxy.ChannelCode
	missing := h.fill(call)
	request := gate.Request{Call: call, Caller: gate.Caller{User: user}}
	return h.Gate.Forward(ctx, request, func(ctx context.Context, call *mcpproxy.Call) *mcpproxy.Result {
		out := &Outcome{}
		if missing != nil {
			out.Error = failureFrom(missing)
		} else {
			out = h.run(ctx, call, user)
		}
		raw := wire.MustJSON(out.toolResult())
		return &mcpproxy.Result{Raw: raw, IsError: out.Error != nil}
	})
}

// Outcome is the result of an execution.
type Outcome struct {
	Value      json.RawMessage `json:"result,omitempty"`
	Error      *Failure        `json:"error,omitempty"`
	Console    string          `json:"console,omitempty"`
	Hint       string          `json:"hint,omitempty"` // advice for the script's author
	Calls      int             `json:"tool_calls"`
	DurationMS float64         `json:"duration_ms"`
}

// maxShownConsole limits the console output in the text of a result, in bytes, because the
// structured result contains it too.
const maxShownConsole = 64 << 10

// toolResult returns the outcome as an MCP result, as text and as structured content.
func (o *Outcome) toolResult() map[string]any {
	said := string(o.Value)
	if o.Value == nil && o.Error == nil {
		o.Hint = "the script returned nothing: end it with return and the value you want"
		said = "undefined\n" + o.Hint
	}
	if o.Error != nil {
		code := string(o.Error.Code) + ": " // the reason of a verdict may begin with the code already
		said = code + strings.TrimPrefix(o.Error.Message, code)
		if o.Error.SuggestedFix != "" {
			said += "\n" + o.Error.SuggestedFix
		}
	}
	content := []map[string]string{{"type": "text", "text": said}}
	if o.Console != "" {
		shown := o.Console
		if len(shown) > maxShownConsole {
			shown = cut(shown, maxShownConsole) + "\n… the rest is in structuredContent.console\n"
		}
		content = append(content, map[string]string{"type": "text", "text": "console:\n" + shown})
	}
	out := map[string]any{"content": content, "structuredContent": o}
	if o.Error != nil {
		out["isError"] = true
	}
	return out
}
