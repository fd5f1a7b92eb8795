package inspect

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow/passage"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/selfguard"
)

// Inspection holds the facts about one call. It never changes. The facts of a stage that was not reached are empty.
// [Inspector.Call] reaches all stages; the other functions that return an inspection document which stages they
// reach.
type Inspection struct {
	weighed // contains all earlier stages
	send
}

// Facts returns the facts for the policy, without the risk.
func (p *Inspection) Facts() policy.Facts {
	class := p.class
	return policy.Facts{
		SendsAsked:  p.sendsAsked(),
		Aimed:       p.lineage.Request.Aims(),
		OnlyFetches: p.onlyFetches(),
		Blocks:      p.blocks(),
		Facts: mcpproxy.Facts{
			Classification: &class,
			Operation:      p.operation,
			Edges:          p.edges,
			Destinations:   p.destinations(),
			Legs:           p.lineage.Legs,
			Signals:        append(p.Signals(), p.behaviour...),
			Contradictions: p.contradictions,
			Effect:         p.acted,
			Wish:           p.lineage.Wish,
			Audience:       p.audience(),
			Dictation:      p.dictation(),
			Secrets:        p.secrets,
		},
		Call:     p.call,
		Strings:  p.strings,
		Coverage: Coverage(p.call),
	}
}

// Call returns the inspected call.
func (p *Inspection) Call() *mcpproxy.Call { return p.call }

// Inspector returns the inspector that made the inspection.
func (p *Inspection) Inspector() *Inspector { return p.by }

// Class returns the class of the called tool.
func (p *Inspection) Class() mcpproxy.Class { return p.class }

// Operation returns the operation of the call.
func (p *Inspection) Operation() mcpproxy.Operation { return p.operation }

// Arguments returns the arguments of the call with the findings in them. It has an error if the call has one.
func (p *Inspection) Arguments() Reading {
	r := p.args
	r.Err = p.err
	return r
}

// Extra returns the members of the request besides the arguments, with the findings in them.
func (p *Inspection) Extra() Reading { return p.extra }

// Err says why the call could not be inspected; nil if it was.
func (p *Inspection) Err() error { return p.err }

// Signals returns the signals about the call, except those about its behaviour.
func (p *Inspection) Signals() []mcpproxy.Signal { return p.signals }

// Behaviour returns the signals about what is unusual compared with earlier calls.
func (p *Inspection) Behaviour() []mcpproxy.Signal {
	return p.behaviour[:len(p.behaviour):len(p.behaviour)]
}

// Edges returns the movements of data into the call.
func (p *Inspection) Edges() []mcpproxy.Edge { return p.edges }

// Sends reports whether the call counts as a send of its session once it is made.
func (p *Inspection) Sends() bool { return p.lineage.Sends }

// Contradictions returns pairs of claims about the call that cannot both be true.
func (p *Inspection) Contradictions() []mcpproxy.ContradictionResult { return p.contradictions }

// Attempt returns what the call would do to mcpproxy itself.
func (p *Inspection) Attempt() selfguard.Attempt { return p.attempt }

// Outgoing returns how the call counts as a send to the outside; nil if it sends nothing outside.
func (p *Inspection) Outgoing() *risk.Send { return p.outgoing }

// Beside returns the inspection with signals about what is unusual compared with earlier calls, as [risk.Watch]
// reports them for [Inspection.Outgoing].
func (p *Inspection) Beside(unusual []mcpproxy.Signal) *Inspection {
	if len(unusual) == 0 {
		return p
	}
	other := *p
	other.behaviour = slices.Concat(unusual, p.behaviour)
	p.by.Tables.Mark(p.call, other.behaviour)
	return &other
}

// Known returns the secrets of earlier results that the call carries.
func (p *Inspection) Known() []detect.Finding { return p.known }

// Hidden returns all secrets of the call, which must be masked wherever it is shown.
func (p *Inspection) Hidden() []detect.Finding { return p.hidden[:len(p.hidden):len(p.hidden)] }

// Redactable returns the number of values of the call that would be redacted.
func (p *Inspection) Redactable() int {
	return len(p.args.Secrets()) + len(p.extra.Secrets()) + len(p.known)
}

// Kept is the part of an inspection that is kept until its call was made. It contains no text of the call except in
// its [passage.Act].
type Kept struct {
	class     mcpproxy.Class // the result of [Inspection.Answers]
	operation mcpproxy.Operation
	act       *passage.Act
	outgoing  *risk.Send
	sends     bool
	// credentials says that the call reads a file with credentials.
	credentials bool
	prints      []string // the host that [Inspection.PrintsOf] returned
	reveals     bool     // the result of [Inspection.Reveals]
}

// Kept returns what [Inspector.Again] needs of the inspection.
func (p *Inspection) Kept() Kept {
	return Kept{
		class:     p.Answers(),
		operation: p.operation,
		act:       p.act,
		outgoing:  p.outgoing,
		sends:     p.lineage.Sends,

		credentials: p.ReadsCredentials(),
		prints:      p.PrintsOf(),
		reveals:     p.Reveals(),
	}
}

// Sends reports whether the call counts as a send of its session once it is made.
func (k Kept) Sends() bool { return k.sends }

// Mask returns s, a text about the call, with the secrets of the call masked.
func (p *Inspection) Mask(s string) string { return p.masker()(s) }

// masker returns a function that masks the secrets of the call in a text about it. If detection is off
// (security.pii_detection.enabled), the function masks text that looks like a credential.
func (p *traced) masker() func(string) string {
	mask := detect.NewMasker(p.hidden).Text
	if p.by.Detector != nil {
		return mask
	}
	return func(s string) string { return redact.Secrets(mask(s)) }
}

// ShownCall returns the call as it may be shown: secrets in the name of its tool are masked.
func (p *Inspection) ShownCall() *mcpproxy.Call { return p.shown(p.hidden) }

// shown returns the call with the hidden values masked in its tool's name.
func (p *subject) shown(hidden []detect.Finding) *mcpproxy.Call {
	name := detect.NewMasker(hidden).Text(p.call.Tool)
	if name == p.call.Tool {
		return p.call
	}
	c := *p.call
	c.Tool = name
	return &c
}
