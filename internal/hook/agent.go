package hook

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/agent"
)

// Agent reads and writes the hook protocol of one agent.
type Agent interface {
	// Name returns the agent's name on command lines: lower case, with dashes.
	Name() string
	// Read turns a payload into an event. The event's name comes from the payload if it has one, or
	// else from event. Servers are the names of the known MCP servers, including this proxy; Read
	// uses them to split a tool's name into server and tool. The error says what is wrong with raw.
	Read(event string, raw []byte, servers []string) (Event, error)
	// CanAsk reports whether the agent asks its user if the answer to e is ask.
	CanAsk(e Event) bool
	// Reply returns the output of the hook for e. The output is empty for events that cannot stop
	// anything.
	Reply(e Event, d mcpproxy.Decision, reason string, o ReplyOptions) Reply
	// Notify returns the reply that shows the user a message at the start of a session. It is empty
	// if the agent does not show messages.
	Notify(message string) Reply
}

// dialects are the hook dialects, in the order of package agent.
var dialects = []*dialect{claudeCode, codex, geminiCLI, copilot, cursor, goose, vscode, opencode}

// Agents returns all agents that have a name.
func Agents() []Agent {
	var all []Agent
	for _, d := range dialects {
		all = append(all, d)
	}
	return all
}

// Named returns the agent with that name or alias.
func Named(name string) (Agent, bool) {
	known, ok := agent.Hooked(name)
	if !ok {
		return nil, false
	}
	i := slices.IndexFunc(dialects, func(d *dialect) bool { return d.name == known.Name })
	if i < 0 {
		return nil, false
	}
	return dialects[i], true
}

// dialect describes an agent's protocol as a table.
type dialect struct {
	name   string
	events map[string]Kind
	fields fields
	// split finds the server in a tool's name; "" if the tool is the agent's own.
	split func(tool string, p payload, servers []string) (server, rest string)
	// finish applies changes that the table cannot express. It may be nil.
	finish func(e *Event, p payload)
	// asks reports whether an ask reaches the user. nil means never.
	asks func(e Event) bool
	// notifies reports whether the agent shows its user the member systemMessage of an answer.
	notifies bool
	// tell returns the output for ask or deny, and for allow if the user wants it stated.
	tell func(e Event, d mcpproxy.Decision, reason string) Reply
}

// Name implements [Agent].
func (d *dialect) Name() string { return d.name }

// CanAsk implements [Agent].
func (d *dialect) CanAsk(e Event) bool { return d.asks != nil && d.asks(e) }

// Read implements [Agent].
func (d *dialect) Read(event string, raw []byte, servers []string) (Event, error) {
	p, err := parse(raw)
	if err != nil {
		return Event{}, err
	}
	f := d.fields
	e := Event{
		Agent:    d.name,
		Name:     p.text(f.event...),
		Session:  p.text(f.session...),
		Prompt:   p.text(f.prompt...),
		Cwd:      p.text(f.cwd...),
		Wrapping: p.has("raw", "event"),
	}
	if e.Name == "" {
		e.Name = event
	}
	e.Kind = d.events[e.Name]
	if e.Kind == "" {
		e.Kind = Other
	}
	if name := p.text(f.tool...); name != "" {
		e.Server, e.Tool = d.split(name, p, servers)
		e.CallID = p.text(f.call...)
		e.Input = arguments(p.first(f.input...))
	}
	if e.Kind == PostTool || e.Kind == PostToolFailure {
		e.Response = p.first(f.response...)
	}
	if d.finish != nil {
		d.finish(&e, p)
	}
	if e.Kind == PreTool && e.Tool == "" {
		return Event{}, errNoTool
	}
	return e, nil
}

// Reply implements [Agent].
func (d *dialect) Reply(e Event, decision mcpproxy.Decision, reason string, o ReplyOptions) Reply {
	if e.Kind != PreTool {
		return Reply{}
	}
	told := Settle(decision, d.CanAsk(e), o)
	if told == mcpproxy.Allow {
		if !o.ExplicitAllow {
			return Reply{}
		}
		reason = ""
	}
	return d.tell(e, told, reason)
}

// Notify implements [Agent].
func (d *dialect) Notify(message string) Reply {
	if !d.notifies {
		return Reply{}
	}
	return say(struct {
		Message string `json:"systemMessage"`
	}{message})
}

// always is an asks function for agents that can ask about everything.
func always(Event) bool { return true }
