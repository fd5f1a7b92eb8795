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

// Settings are the parts of the configuration that determine how calls are inspected.
type Settings struct {
	Classifier classify.Classifier
	Detector   *detect.Detector // nil if security.pii_detection.enabled is false
	Tables     policy.Tables    // for groups of servers and suppressions
	Guard      *selfguard.Guard // for calls that touch mcpproxy itself
	Home       *home.Home       // the user's own organisation
}

// Inspector inspects calls and texts with one version of the settings. It is safe for concurrent use.
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

// WithHome returns an inspector with the same settings for another home.
func (in *Inspector) WithHome(h *home.Home) *Inspector {
	other := *in
	other.Home = h
	return &other
}

// Call inspects a call that is about to be made. doc is the call's parsed arguments, or nil if they have
// not been parsed.
func (in *Inspector) Call(call *mcpproxy.Call, doc *text.Document) *Inspection {
	w := in.weigh(in.carry(in.trace(in.do(in.hear(in.about(call), doc)))))
	return &Inspection{weighed: w, send: in.send(w)}
}

// Read inspects a call without determining where its data came from. It is for a call that was made already, or that
// is refused in any case.
func (in *Inspector) Read(call *mcpproxy.Call) *Inspection {
	t := in.hear(in.about(call), nil)
	t.err = t.args.Err // an error outside the arguments does not stop the call
	return read(in.do(t))
}

// Unread returns the inspection of a call that cannot be read because of err. It only contains err and what must be
// masked in the call's name.
func (in *Inspector) Unread(call *mcpproxy.Call, err error) *Inspection {
	nothing := &text.Document{}
	t := texts{
		subject: subject{by: in, call: call},
		args:    Reading{Doc: nothing, Err: err},
		extra:   Reading{Doc: nothing},
		hides:   in.readAside(call),
		err:     err,
	}
	return &Inspection{weighed: in.weigh(carried{traced: untraced(action{texts: t})})}
}

// Again returns the inspection of a call that was inspected before it was made, and whose arguments are not read
// again. It contains what was kept, and what must be masked in the call's name.
func (in *Inspector) Again(call *mcpproxy.Call, before Kept) *Inspection {
	t := texts{subject: subject{by: in, call: call}, hides: in.readAside(call)}
	p := read(action{texts: t, class: before.class, operation: before.operation})
	p.act = before.act
	p.outgoing = before.outgoing
	p.credentials = before.credentials
	p.prints = before.prints
	p.reveals = before.reveals
	return p
}

// Arguments parses only the arguments of a call, to determine what the caller itself has said. It runs no other stage
// of the inspection.
func (in *Inspector) Arguments(call *mcpproxy.Call) *Inspection {
	t := texts{subject: subject{by: in, call: call}}
	t.args.Doc, _ = text.Parse(call.Arguments, argumentsRoot)
	return read(action{texts: t})
}

// Preview reads the texts of a call of an agent's own tool. ok is false for a call that leaves this machine, runs
// commands, cannot be parsed, or touches mcpproxy itself.
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

// Result searches the result of a call for sensitive data and for instructions to the agent. If unread is not nil,
// the result is not read because of it. reveals says that the result is a secret, whatever it looks like
// ([Inspection.Reveals]).
func (in *Inspector) Result(call *mcpproxy.Call, raw []byte, unread error, reveals bool) Reading {
	if unread != nil {
		return Reading{Doc: &text.Document{}, Err: unread}
	}
	got := in.read(raw, "response")
	if got.Err == nil && (reveals || isStore(call)) {
		got = got.stored(call.Server == "")
	}
	if got.Err == nil && brings(call) {
		start := time.Now()
		got.Instructions = scan.Content(got.Doc)
		got.Elapsed += time.Since(start)
	}
	return got
}

// KnownTools returns the number of tools whose class is cached, at most [MaxKnown].
func (in *Inspector) KnownTools() int {
	in.known.mu.Lock()
	defer in.known.mu.Unlock()
	return len(in.known.tools)
}

// Text reads a text that belongs to no call.
func (in *Inspector) Text(s string) Reading { return in.read(text.Quote(s), "") }

// JSON reads a JSON value that belongs to no call.
func (in *Inspector) JSON(raw []byte) Reading { return in.read(raw, "") }

// Class returns the class of a server's tool, and its operation as far as it is known without arguments.
func (in *Inspector) Class(server, tool string, def *mcpproxy.Tool) (mcpproxy.Class, mcpproxy.Operation) {
	t := in.known.tool(server, tool, def)
	return t.class, t.Operation(nil)
}
