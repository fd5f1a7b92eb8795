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

// An inspection is made in stages: subject, texts, action, traced, carried, weighed, send. Each stage is a value that
// contains the previous one, and the function that makes it takes the previous stage as its argument. The order of
// the stages is therefore fixed, and a stage never changes once it is made. A stage that was not reached is its zero
// value around the previous stage.

// subject is the called tool and its class.
type subject struct {
	by   *Inspector
	call *mcpproxy.Call
	tool *tool // nil unless the call is of a server's tool
	// listed is the class by the tool's name, without the arguments.
	listed mcpproxy.Class
}

// texts are the texts of the call with the findings in them.
type texts struct {
	subject
	args  Reading
	extra Reading
	name  Reading // of a tool that no definition declares; not read if err is not nil
	// hides are the secrets in the call's own texts, to be masked.
	hides []detect.Finding
	err   error // why the call could not be read; nil if it was
}

// action is what the call does, as its arguments show.
type action struct {
	texts
	class     mcpproxy.Class
	operation mcpproxy.Operation
	says      *classify.Arguments // observations about the arguments of a server's tool

	// What the command lines in the arguments do.
	lines      []line
	attempt    selfguard.Attempt
	own        []mcpproxy.Edge
	proofs     []proof // credentials that they only present to authenticate
	recipients []mcpproxy.Destination
	hosts      []string
	toOwn      bool // everything that they send goes to the folder's own repository

	// credentials is the result of [Inspection.ReadsCredentials] from an inspection before the call.
	credentials bool
	prints      []string // from [Kept]
	reveals     bool     // from [Kept]
}

// traced is where the call's data comes from and where it goes.
type traced struct {
	action
	act     *passage.Act
	acted   mcpproxy.Effect // the effect of the call
	lineage flow.Lineage
	known   []detect.Finding // secrets of earlier results that the call carries
	hidden  []detect.Finding // secrets of the whole call, to be masked in its record
}

// carried are the secrets of the call with their audiences.
type carried struct {
	traced
	secrets   []mcpproxy.Secret // the secrets in the call with their owners
	ownValues []string          // their values, if all of them go to their own audience
	// edges are the edges of the trace. Those that only carry secrets to their own audience are marked.
	edges []mcpproxy.Edge
}

// weighed holds the signals and contradictions of the whole call.
type weighed struct {
	carried
	observed       []mcpproxy.Signal // without contradictions
	contradictions []mcpproxy.ContradictionResult
	signals        []mcpproxy.Signal // all except those about unusual behaviour
	strings        []string          // every text of the call, to find endpoints in
}

// send says how the call counts as a send to the outside.
type send struct {
	outgoing  *risk.Send        // nil if it sends nothing outside
	behaviour []mcpproxy.Signal // signals about unusual behaviour
}

// about determines the called tool.
func (in *Inspector) about(call *mcpproxy.Call) subject {
	s, c := subject{by: in, call: call}, &in.Classifier
	switch {
	case call.Kind == mcpproxy.KindScript: // a script reaches something only through its own calls
		s.listed = mcpproxy.Class{Side: mcpproxy.Internal, Confidence: 1, Method: mcpproxy.ByConfig}
	case call.Server == "":
		s.listed = c.AgentTool(call.Tool)
	case call.Kind == mcpproxy.KindTool:
		s.tool = in.known.tool(call.Server, call.Tool, call.Definition)
		s.listed = s.tool.class
	default: // the name of a resource or a prompt says nothing about its side
		s.listed = c.Tool(call.Server, "", nil)
	}
	return s
}

// hear searches the texts of a call for sensitive data. doc is the call's parsed arguments, or nil.
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

// do determines what a call does.
func (in *Inspector) do(t texts) action {
	d := action{texts: t, class: t.listed}
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

// untraced returns a call that is not compared with earlier results.
func untraced(d action) traced { return traced{action: d, hidden: slices.Clip(d.hides)} }

// read returns the inspection of a call of which only the effect is known.
func read(d action) *Inspection {
	return &Inspection{weighed: weighed{carried: carried{traced: untraced(d)}}}
}

// weigh computes the signals and compares the claims about the call.
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
