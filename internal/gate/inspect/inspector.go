package inspect

import (
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/home"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
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
	p := in.begin(call)
	in.readCall(p, doc)
	var name Reading
	if p.args.Err == nil && p.extra.Err == nil {
		name = in.named(p)
		p.lineage = join(join(in.lineage(p, p.args), in.lineage(p, p.extra)), in.lineage(p, name))
		p.args.said = p.lineage.Said
	}
	signals := append(p.args.Signals(), p.extra.Signals()...)
	if p.args.Err == nil {
		p.args.Err = p.extra.Err
	}
	if p.args.Err == nil {
		signals = append(signals, name.Signals()...)
		p.secrets = p.carried(name)
		signals = slices.Concat(signals, flowSignals(p.lineage.Edges), p.trifecta())
		p.strings = slices.Concat(values(p.args.Doc), values(p.extra.Doc), p.hosts)
		in.Tables.Mark(p.call, signals)
		p.outgoing, p.behaviour = p.leaving(signals)
		p.contradictions = p.contradicts(signals)
		signals = append(signals, risk.ContradictionSignals(p.contradictions)...)
	}
	p.end(signals)
	return p
}

// Read inspects a call without looking for where its data came from: one that was made
// already, or that is refused whatever it says.
func (in *Inspector) Read(call *mcpproxy.Call) *Inspection {
	p := in.begin(call)
	in.readCall(p, nil)
	p.end(nil)
	return p
}

// Unread is the inspection of a call that cannot be read, because of err.
func (in *Inspector) Unread(call *mcpproxy.Call, err error) *Inspection {
	p := in.begin(call)
	nothing := &text.Document{}
	p.args, p.extra = Reading{Doc: nothing, Err: err}, Reading{Doc: nothing}
	p.hidden = in.readAside(p)
	p.end(p.args.Signals())
	return p
}

// Again is the inspection of a call that was inspected before it was made, and whose
// arguments are not read again.
func (in *Inspector) Again(call *mcpproxy.Call, before *Inspection) *Inspection {
	p := in.begin(call)
	p.class = before.class
	p.operation = before.operation
	p.outgoing = before.outgoing
	p.act = before.act
	p.hidden = in.readAside(p)
	return p
}

// Arguments is the inspection of a call of which only the arguments are parsed: enough to
// know what the caller itself has said.
func (in *Inspector) Arguments(call *mcpproxy.Call) *Inspection {
	p := in.begin(call)
	p.args.Doc, _ = text.Parse(call.Arguments, argumentsRoot)
	return p
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
// the agent to do. It is not read because of unread, unless that is nil.
func (in *Inspector) Result(call *mcpproxy.Call, raw []byte, unread error) Reading {
	if unread != nil {
		return Reading{Doc: &text.Document{}, Err: unread}
	}
	got := in.read(raw, "response")
	if got.Err == nil && isStore(call) {
		got.stored()
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

func (in *Inspector) begin(call *mcpproxy.Call) *Inspection { return &Inspection{by: in, call: call} }

// readCall finds out what the call is, and reads it for what is sensitive.
func (in *Inspector) readCall(p *Inspection, doc *text.Document) {
	call, c := p.call, &in.Classifier
	switch {
	case call.Kind == mcpproxy.KindScript: // it reaches nothing but by calls of its own
		p.class = mcpproxy.Class{Side: mcpproxy.Internal, Confidence: 1, Method: mcpproxy.ByConfig}
	case call.Server == "":
		p.class = c.AgentTool(call.Tool)
	case call.Kind == mcpproxy.KindTool:
		p.tool = in.known.tool(call.Server, call.Tool, call.Definition)
		p.class = p.tool.class
	default: // a URI or a prompt's name says nothing about sides
		p.class = c.Tool(call.Server, "", nil)
	}
	if doc != nil {
		p.args = in.look(doc, nil, time.Now())
	} else {
		p.args = in.read(call.Arguments, argumentsRoot)
	}
	p.extra = in.read(call.Extra, "params")
	p.hidden = slices.Concat(in.readAside(p), p.args.Hidden(), p.extra.Hidden())
	switch {
	case call.Kind != mcpproxy.KindTool:
		p.operation = mcpproxy.Read
	case call.Server == "":
		p.operation = c.AgentOperation(call.Tool)
	default:
		p.says = c.Read(p.tool.Subject, p.args.Doc, detect.NewMasker(p.hidden).Text)
		p.operation = p.tool.Operation(p.says)
	}
	if p.args.Err == nil && call.Kind != mcpproxy.KindScript {
		in.followShell(p)
	}
}
