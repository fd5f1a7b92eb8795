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

// stage is a gate with which one session is played. Nothing of it is stored, and no two stages share any state.
type stage struct {
	gate     *gate.Gate
	tracker  *flow.Tracker
	sessions flow.Sessions
	settings gate.Settings
	session  string
	hooks    bool
}

// stage returns a new gate.
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

// call returns a tool call as it comes over MCP.
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

// own returns a call of an agent's own tool, as a hook announces it.
func (s *stage) own(tool string, args []byte) *mcpproxy.Call {
	call := s.call("", tool, args)
	call.Channel = mcpproxy.ChannelHook
	return call
}

// before lets the gate decide about a call, and returns the time that this took. If side is not empty it is the side
// of the tool; otherwise the gate determines it.
func (s *stage) before(call *mcpproxy.Call, side mcpproxy.Side) (*gate.Decided, time.Duration) {
	if side != "" {
		with := s.settings
		with.Classifier = classify.Classifier{
			ToolOverrides: map[string]mcpproxy.Side{call.Server + ":" + call.Tool: side},
		}
		s.gate.Configure(with)
	}
	if session, ok := s.sessions.Peek(s.session); ok {
		// The previous result may still be being indexed. An agent takes longer than that before its next call, so
		// the wait is not measured.
		session.Summary()
	}
	start := time.Now()
	p := s.gate.Decide(context.Background(), gate.Request{Call: call, Hook: hookOf(call, "PreToolUse")})
	return p, time.Since(start)
}

// hookOf returns the hook that reports a call; nil for a call through the proxy. The agent of the hook can ask its
// user.
func hookOf(call *mcpproxy.Call, event string) *gate.Hook {
	if call.Channel != mcpproxy.ChannelHook {
		return nil
	}
	return &gate.Hook{Agent: "claude-code", Event: event}
}

// after passes content to the gate as a tool's result.
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

// prompt passes the user's own words to the gate.
func (s *stage) prompt(words string) { s.tracker.Prompt(s.session, words) }

// publish passes a server's definitions, in JSON, to the gate.
func (s *stage) publish(words []byte) {
	if doc, err := text.Parse(words, "tools"); err == nil {
		s.tracker.Publish(s.session, doc)
	}
}

// quote returns a text as a JSON string.
func quote(s string) jsontext.Value { return jsontext.Value(text.Quote(s)) }

// unlogged is a log that stores nothing.
type unlogged struct{}

func (unlogged) Append(context.Context, *mcpproxy.Record) error { return nil }
func (unlogged) Add(*mcpproxy.Record)                           {}
