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

// Limits are what scripts may use; they come from configuration (code_execution).
type Limits struct {
	Enabled    bool
	Timeout    time.Duration // of one execution, without what people are asked in it
	HeapMB     int
	Concurrent int // executions at once
	Calls      int // of one execution, the stash left out
	Parallel   int // calls of one execution at once
	Code       int // bytes of a script
	Args       int // bytes of one call's arguments
	Output     int // bytes of a result, and of what is printed
	Text       int // bytes of one answer
	Frame      int // bytes of one frame from a worker
	StashKeys  int
	StashValue int // bytes of one value
	StashTotal int // bytes of all values of all sessions
	StashTTL   time.Duration
	Groups     map[string]string // strict group by server
	Confined   bool              // run no script unless every layer of confinement holds
}

// DefaultLimits are those of a configuration that says nothing.
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

// Sources are what a host works with.
type Sources struct {
	Gate    *gate.Gate
	Catalog *catalog.Catalog
	Engine  Engine
	// Send brings a call that the gate has let through to its server. It is called
	// from within the gate alone.
	Send func(context.Context, *mcpproxy.Call) *mcpproxy.Result
	// Patient has what is sent under the context that it returns wait no longer than d for
	// a server, and end as a timeout of that server's does. It may be nil.
	Patient func(ctx context.Context, d time.Duration) context.Context
	// Ready waits until what a server declares was looked at. It may be nil.
	Ready func(ctx context.Context, server string) error
	// Holds reports whether a server declares a tool that agents may not see; the
	// gate says why. It may be nil.
	Holds func(server, tool string) bool
	// Servers are the names of the servers that there are.
	Servers func() []string
	// Stored is the folder of the owner's scripts; "" disables them. It may be nil.
	Stored func() string
}

// Host runs scripts.
type Host struct {
	Sources
	limits  atomic.Pointer[Limits]
	stashes stashes
	rooms   room
	weak    sync.Once // what a worker lacks was said
}

// New returns a host.
func New(s Sources, l Limits) *Host {
	h := &Host{Sources: s}
	h.Configure(l)
	return h
}

// Configure changes the limits of the executions to come.
func (h *Host) Configure(l Limits) {
	if old := h.limits.Swap(&l); old != nil && !maps.Equal(old.Groups, l.Groups) {
		h.stashes.clear() // whose a value is was said by other groups
	}
	h.rooms.resize(l.Concurrent)
	h.Engine.Configure(l)
}

// Enabled reports whether scripts are run at all.
func (h *Host) Enabled() bool { return h.limits.Load().Enabled }

// Forget drops what is kept for a flow session that has ended: a value must not
// outlive what is known about where it came from.
func (h *Host) Forget(flowSession string) { h.stashes.forget(flowSession) }

// Close ends what the engine keeps ready.
func (h *Host) Close() { h.Engine.Close() }

// Execute runs the script of call, whose arguments are {"code": …}, or {"script": …}
// with the name of a stored one: then the text that is run joins them, so that the
// record has it. The call is of kind script; its session, principal and the rest are
// the caller's. User asks the person behind the caller, and may be nil. The result is
// that of an MCP tool, nil when the verdict stops the script or withholds what it
// returned.
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

// Outcome is how an execution ended.
type Outcome struct {
	Value      json.RawMessage `json:"result,omitempty"`
	Error      *Failure        `json:"error,omitempty"`
	Console    string          `json:"console,omitempty"`
	Hint       string          `json:"hint,omitempty"` // what its author may have missed
	Calls      int             `json:"tool_calls"`
	DurationMS float64         `json:"duration_ms"`
}

// maxShownConsole is how much of the console stands in the text of a result, in bytes. The
// result has it twice otherwise.
const maxShownConsole = 64 << 10

// toolResult is the outcome as an MCP result: once as text, once for programs.
func (o *Outcome) toolResult() map[string]any {
	said := string(o.Value)
	if o.Value == nil && o.Error == nil {
		o.Hint = "the script returned nothing: end it with return and the value you want"
		said = "undefined\n" + o.Hint
	}
	if o.Error != nil {
		code := string(o.Error.Code) + ": " // which the reason of a verdict may name already
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
