package inspect

import (
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/flow/passage"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/text"
)

// An inspection is made in stages: what is called, what it says, what it does, where its data
// has come from, which secrets it carries, what that looks like as a whole, and what it counts
// for. Each stage is a value that holds the one before it. Its function takes that one as its
// argument, so that there is no other order in which they could be called, and nobody changes
// it afterwards. A stage that was not reached is one with nothing added.

// subject is the tool that is called, and its class.
type subject struct {
	by   *Inspector
	call *mcpproxy.Call
	tool *tool // nil unless the call is of a server's tool
	// listed is where the tool stands by its name, whatever it is called with.
	listed mcpproxy.Class
}

// texts are what the call says, and what was found in it.
type texts struct {
	subject
	args  Reading
	extra Reading
	name  Reading // of a tool that nothing declares; not read where err is not nil
	// hides are the secrets of the call's own texts, to be masked.
	hides []detect.Finding
	err   error // why the call could not be read; nil when it was
}

// deed is what the call does, as its arguments say it.
type deed struct {
	texts
	class     mcpproxy.Class
	operation mcpproxy.Operation
	says      *classify.Arguments // what the arguments of a server's tool say

	// What the command lines in the arguments do by themselves.
	lines      []line
	attempt    selfguard.Attempt
	own        []mcpproxy.Edge
	proofs     []proof // which of them only prove who asks
	recipients []mcpproxy.Destination
	hosts      []string
	toOwn      bool // all that they send goes to the folder's own repository

	// credentials is what an inspection before the call said of [Inspection.ReadsCredentials].
	credentials bool
	prints      []string // as [Kept] has it
	reveals     bool     // as [Kept] has it
}

// traced is where the data of the call has come from, and where it goes.
type traced struct {
	deed
	act     *passage.Act
	acted   mcpproxy.Effect // what the call does, as people would ask for it
	lineage flow.Lineage
	known   []detect.Finding // secrets of earlier results that the call carries
	hidden  []detect.Finding // secrets of the whole call, to be masked in its record
}

// carried are the secrets of the call, and how they stand to whom they go to.
type carried struct {
	traced
	secrets   []mcpproxy.Secret // that the call carries, and whose they are
	ownValues []string          // their values, when all of them go to their own audience
	// edges are those of the trace. The ones by which nothing but secrets goes to its own
	// audience are marked.
	edges []mcpproxy.Edge
}

// weighed is what the call looks like, seen as a whole.
type weighed struct {
	carried
	observed       []mcpproxy.Signal // without contradictions
	contradictions []mcpproxy.ContradictionResult
	signals        []mcpproxy.Signal // all, without behaviour
	strings        []string          // every text of the call, for endpoints
}

// send is what the call counts for as a send to the outside.
type send struct {
	outgoing  *risk.Send        // nil if it sends nothing there
	behaviour []mcpproxy.Signal // what is unusual about the call
}

// about finds out what is called.
func (in *Inspector) about(call *mcpproxy.Call) subject {
	s, c := subject{by: in, call: call}, &in.Classifier
	switch {
	case call.Kind == mcpproxy.KindScript: // it reaches nothing but by calls of its own
		s.listed = mcpproxy.Class{Side: mcpproxy.Internal, Confidence: 1, Method: mcpproxy.ByConfig}
	case call.Server == "":
		s.listed = c.AgentTool(call.Tool)
	case call.Kind == mcpproxy.KindTool:
		s.tool = in.known.tool(call.Server, call.Tool, call.Definition)
		s.listed = s.tool.class
	default: // a URI or a prompt's name says nothing about sides
		s.listed = c.Tool(call.Server, "", nil)
	}
	return s
}

// hear reads the texts of a call for what is sensitive. Its arguments are doc where they were
// parsed before; else doc is nil.
func (in *Inspector) hear(s subject, doc *text.Document) texts {
	t := texts{subject: s}
	if doc != nil {
		t.args = in.look(doc, nil, time.Now())
	} else {
		t.args = in.read(s.call.Arguments, argumentsRoot)
	}
	t.extra = in.read(s.call.Extra, "params")
	t.hides = slices.Concat(in.readAside(s.call), t.args.Hidden(), t.extra.Hidden())
	if t.err = t.args.Err; t.err == nil {
		t.err = t.extra.Err
	}
	if t.err == nil {
		t.name = in.named(s.call)
	}
	return t
}

// do finds out what a call does.
func (in *Inspector) do(t texts) deed {
	d := deed{texts: t, class: t.listed}
	switch call := t.call; {
	case call.Kind != mcpproxy.KindTool:
		d.operation = mcpproxy.Read
	case call.Server == "":
		d.operation = in.Classifier.AgentOperation(call.Tool)
	default:
		d.says = in.Classifier.Read(t.tool.Subject, t.args.Doc, detect.NewMasker(t.hides).Text)
		d.operation = t.tool.Operation(d.says)
	}
	if t.args.Err != nil || t.call.Kind == mcpproxy.KindScript {
		return d
	}
	return in.follow(d)
}

// untraced is a call that is not compared with earlier results.
func untraced(d deed) traced { return traced{deed: d, hidden: slices.Clip(d.hides)} }

// read returns the inspection of a call whose effect alone is known.
func read(d deed) *Inspection {
	return &Inspection{weighed: weighed{carried: carried{traced: untraced(d)}}}
}

// weigh makes signals of what was found out, and compares the claims about the call.
func (in *Inspector) weigh(c carried) weighed {
	w := weighed{carried: c}
	args := c.args
	args.said = c.lineage.Said
	if c.err != nil {
		w.observed = append(args.Signals(), c.extra.Signals()...)
		in.Tables.Mark(c.call, w.observed)
		w.signals = slices.Clip(w.observed)
		return w
	}
	w.observed = slices.Concat(
		args.Signals(), c.extra.Signals(), c.name.Signals(), flowSignals(c.edges), c.trifecta(),
	)
	in.Tables.Mark(c.call, w.observed)
	w.contradictions = c.contradicts(w.observed)
	theirs := risk.ContradictionSignals(w.contradictions)
	in.Tables.Mark(c.call, theirs)
	w.signals = slices.Clip(append(slices.Clip(w.observed), theirs...))
	w.strings = slices.Concat(values(c.args.Doc), values(c.extra.Doc), c.hosts)
	return w
}
