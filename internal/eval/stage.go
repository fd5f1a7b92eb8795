package eval

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/text"
)

// stage is a gate on which one session is played. Nothing of it is kept, and
// no two stages share anything that a session could have met.
type stage struct {
	gate     *gate.Gate
	tracker  *flow.Tracker
	sessions flow.Sessions
	settings gate.Settings
	session  string
	hooks    bool
}

// stage returns a gate that has met nothing.
func (s FlowSetup) stage(session string) *stage {
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	tracker := flow.New(sessions, s.Limits)
	return &stage{
		gate:     gate.New(tracker, unlogged{}, nil, s.Settings),
		tracker:  tracker,
		sessions: sessions,
		settings: s.Settings,
		session:  session,
		hooks:    s.Hooks,
	}
}

// call is a tool call as it comes over MCP.
func (s *stage) call(server, tool string, args []byte) *mcpproxy.Call {
	if len(args) == 0 {
		args = []byte("{}")
	}
	return &mcpproxy.Call{
		Channel:     mcpproxy.ChannelMCP,
		Kind:        mcpproxy.KindTool,
		Session:     s.session,
		FlowSession: s.session,
		Principal:   s.session,
		Server:      server,
		Tool:        tool,
		Arguments:   json.RawMessage(args),
	}
}

// own is a call of a tool of the agent's own, as a hook announces it.
func (s *stage) own(tool string, args []byte) *mcpproxy.Call {
	call := s.call("", tool, args)
	call.Channel = mcpproxy.ChannelHook
	return call
}

// before lets the gate decide a call, and says how long that took. A side says
// where its tool stands, when that is known; otherwise the gate finds out.
func (s *stage) before(call *mcpproxy.Call, side mcpproxy.Side) (*gate.Decided, time.Duration) {
	if side != "" {
		with := s.settings
		with.Classifier = classify.Classifier{
			ToolOverrides: map[string]mcpproxy.Side{call.Server + ":" + call.Tool: side},
		}
		s.gate.Configure(with)
	}
	if session, ok := s.sessions.Peek(s.session); ok {
		// What came back may still be read. An agent thinks for longer than that
		// before its next call, so the wait is not counted.
		session.Summary()
	}
	start := time.Now()
	p := s.gate.Decide(context.Background(), gate.Request{Call: call, Hook: hookOf(call, "PreToolUse")})
	return p, time.Since(start)
}

// hookOf is the hook that tells of a call; nil for a call that comes through the proxy.
// Its agent can ask the user.
func hookOf(call *mcpproxy.Call, event string) *gate.Hook {
	if call.Channel != mcpproxy.ChannelHook {
		return nil
	}
	return &gate.Hook{Agent: "claude-code", Event: event}
}

// after hands the gate what came back, as a tool's result.
func (s *stage) after(p *gate.Decided, content jsontext.Value) {
	body := content
	if content.Kind() != '"' {
		body = quote(string(content))
	}
	if hook := hookOf(p.Call, "PostToolUse"); hook != nil {
		s.gate.Observe(context.Background(), gate.Observation{
			Call:   s.own(p.Call.Tool, p.Call.Arguments),
			Hook:   *hook,
			Before: p,
			Result: &mcpproxy.Result{Raw: json.RawMessage(body)},
		})
		return
	}
	raw := `{"content":[{"type":"text","text":` + string(body) + `}]}`
	s.gate.Deliver(context.Background(), p, &mcpproxy.Result{Raw: json.RawMessage(raw)})
}

// prompt tells the gate the user's own words.
func (s *stage) prompt(words string) { s.tracker.Prompt(s.session, words) }

// publish tells the gate what a server says of its tools, in JSON.
func (s *stage) publish(words []byte) {
	if doc, err := text.Parse(words, "tools"); err == nil {
		s.tracker.Publish(s.session, doc)
	}
}

// quote is a text as a JSON string.
func quote(s string) jsontext.Value { return jsontext.Value(text.Quote(s)) }

// unlogged is a log that keeps nothing.
type unlogged struct{}

func (unlogged) Append(context.Context, *mcpproxy.Record) error { return nil }
func (unlogged) Add(*mcpproxy.Record)                           {}
