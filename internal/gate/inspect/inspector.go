package inspect

import (
	"time"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/home"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/text"
)

// Settings are the parts of configuration that say how calls are read.
type Settings struct {
	Classifier classify.Classifier
	Detector   *detect.Detector // nil when security.pii_detection.enabled is false
	Tables     policy.Tables    // for the groups of servers and for what is suppressed
	Guard      *selfguard.Guard // of what belongs to this firewall
	Home       *home.Home       // the user's own organisation
}

// Inspector inspects calls and texts by one version of the settings. It is safe for
// concurrent use.
type Inspector struct {
	Settings

	tracker *flow.Tracker
	known   *known
}

// New returns an inspector that traces data with t.
func New(s Settings, t *flow.Tracker) *Inspector {
	in := &Inspector{Settings: s, tracker: t}
	in.known = newKnown(&in.Classifier)
	return in
}

// WithHome returns an inspector by the same settings, for another home.
func (in *Inspector) WithHome(h *home.Home) *Inspector {
	other := *in
	other.Home = h
	return &other
}

// Call inspects a call that is about to be made. Its arguments are doc where they were
// parsed before; else doc is nil.
func (in *Inspector) Call(call *mcpproxy.Call, doc *text.Document) *Inspection {
	w := in.weigh(in.carry(in.trace(in.do(in.hear(in.about(call), doc)))))
	return &Inspection{weighed: w, send: in.send(w)}
}

// Read inspects a call without looking for where its data came from: one that was made
// already, or that is refused whatever it says.
func (in *Inspector) Read(call *mcpproxy.Call) *Inspection {
	t := in.hear(in.about(call), nil)
	t.err = t.args.Err // nothing is decided by what stands beside the arguments
	return read(in.do(t))
}

// Unread is the inspection of a call that cannot be read, because of err. Of its stages it has
// reached what must not be shown of the call's name, and err.
func (in *Inspector) Unread(call *mcpproxy.Call, err error) *Inspection {
	nothing := &text.Document{}
	t := texts{
		subject: subject{by: in, call: call},
		args:    Reading{Doc: nothing, Err: err},
		extra:   Reading{Doc: nothing},
		hides:   in.readAside(call),
		err:     err,
	}
	return &Inspection{weighed: in.weigh(carried{traced: untraced(deed{texts: t})})}
}

// Again is the inspection of a call that was inspected before it was made, and whose
// arguments are not read again: what was kept of it, and what must not be shown of its name.
func (in *Inspector) Again(call *mcpproxy.Call, before Kept) *Inspection {
	t := texts{subject: subject{by: in, call: call}, hides: in.readAside(call)}
	p := read(deed{texts: t, class: before.class, operation: before.operation})
	p.act = before.act
	p.outgoing = before.outgoing
	p.credentials = before.credentials
	p.prints = before.prints
	p.reveals = before.reveals
	return p
}

// Arguments is the inspection of a call of which only the arguments are parsed: enough to
// know what the caller itself has said. No other stage is reached.
func (in *Inspector) Arguments(call *mcpproxy.Call) *Inspection {
	t := texts{subject: subject{by: in, call: call}}
	t.args.Doc, _ = text.Parse(call.Arguments, argumentsRoot)
	return read(deed{texts: t})
}

// Preview reads the texts of a call of an agent's own tool. It is not ok for a call that
// leaves this machine, that runs commands, that cannot be parsed, or that reaches for this
// firewall.
func (in *Inspector) Preview(call *mcpproxy.Call) (f policy.Facts, doc *text.Document, ok bool) {
	class := in.Classifier.AgentTool(call.Tool)
	f.Call = call
	f.Classification = &class
	f.Operation = in.Classifier.AgentOperation(call.Tool)
	if class.Side != mcpproxy.Internal || class.Leaves() {
		return f, nil, false
	}
	words := classify.Tokens(call.Tool)
	doc, err := text.Parse(call.Arguments, argumentsRoot)
	if err != nil || len(commandLines(call, words, doc, in.folder)) > 0 ||
		in.Guard.Check(call, f.Operation, words, nil, doc).Reason() != "" {
		return f, nil, false
	}
	f.Strings = values(doc)
	f.Legs = in.tracker.Legs(call.FlowSession)
	return f, doc, true
}

// Result reads what a call has brought: for what is sensitive in it and for what it tells
// the agent to do. It is not read because of unread, unless that is nil. Reveals says that the result is a secret,
// whatever it looks like ([Inspection.Reveals]).
func (in *Inspector) Result(call *mcpproxy.Call, raw []byte, unread error, reveals bool) Reading {
	if unread != nil {
		return Reading{Doc: &text.Document{}, Err: unread}
	}
	got := in.read(raw, "response")
	if got.Err == nil && (reveals || isStore(call)) {
		got = got.stored()
	}
	if got.Err == nil && brings(call) {
		start := time.Now()
		got.Instructions = scan.Content(got.Doc)
		got.Elapsed += time.Since(start)
	}
	return got
}

// KnownTools is how many tools are remembered with where they stand, at most [MaxKnown].
func (in *Inspector) KnownTools() int {
	in.known.mu.Lock()
	defer in.known.mu.Unlock()
	return len(in.known.tools)
}

// Text reads a text that belongs to no call.
func (in *Inspector) Text(s string) Reading { return in.read(text.Quote(s), "") }

// Class says where a tool of a server stands, and what it does as far as that can be told
// without arguments.
func (in *Inspector) Class(server, tool string, def *mcpproxy.Tool) (mcpproxy.Class, mcpproxy.Operation) {
	t := in.known.tool(server, tool, def)
	return t.class, t.Operation(nil)
}
