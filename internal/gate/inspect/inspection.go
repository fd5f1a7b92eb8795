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

// Inspection is what was found out about one call. It never changes. What a stage that was not
// reached would have found is empty: [Inspector.Call] reaches all of them, and every other
// function that makes an inspection says which ones it reaches.
type Inspection struct {
	weighed // and every stage before it
	send
}

// Facts are what the policy decides by, without the risk.
func (p *Inspection) Facts() policy.Facts {
	class := p.class
	return policy.Facts{
		Aimed: p.lineage.Request.Aims(),
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

// Call is the call that was inspected.
func (p *Inspection) Call() *mcpproxy.Call { return p.call }

// Class is where the called tool stands.
func (p *Inspection) Class() mcpproxy.Class { return p.class }

// Operation is what the call does.
func (p *Inspection) Operation() mcpproxy.Operation { return p.operation }

// Arguments are the arguments of the call, and what was found in them. They have an error
// whenever the call has.
func (p *Inspection) Arguments() Reading {
	r := p.args
	r.Err = p.err
	return r
}

// Extra are the members of the request beside the arguments, and what was found in them.
func (p *Inspection) Extra() Reading { return p.extra }

// Err says why the call could not be inspected; nil when it was.
func (p *Inspection) Err() error { return p.err }

// Signals are what was observed about the call, its behaviour left out.
func (p *Inspection) Signals() []mcpproxy.Signal { return p.signals }

// Behaviour are the signals about what is unusual in the call, beside earlier ones.
func (p *Inspection) Behaviour() []mcpproxy.Signal {
	return p.behaviour[:len(p.behaviour):len(p.behaviour)]
}

// Edges are the movements of data into the call.
func (p *Inspection) Edges() []mcpproxy.Edge { return p.edges }

// Sends reports whether the call counts as a send in its session once it is made.
func (p *Inspection) Sends() bool { return p.lineage.Sends }

// Contradictions are claims about the call that cannot both be true.
func (p *Inspection) Contradictions() []mcpproxy.ContradictionResult { return p.contradictions }

// Attempt is what the call would do to this firewall.
func (p *Inspection) Attempt() selfguard.Attempt { return p.attempt }

// Outgoing is what the call counts for as a send to the outside; nil if it sends nothing there.
func (p *Inspection) Outgoing() *risk.Send { return p.outgoing }

// Beside is the inspection with what is unusual about the call beside earlier ones: unusual is
// what a [risk.Watch] says of its [Inspection.Outgoing].
func (p *Inspection) Beside(unusual []mcpproxy.Signal) *Inspection {
	if len(unusual) == 0 {
		return p
	}
	other := *p
	other.behaviour = slices.Concat(unusual, p.behaviour)
	p.by.Tables.Mark(p.call, other.behaviour)
	return &other
}

// Known are the secrets of earlier results that the call carries.
func (p *Inspection) Known() []detect.Finding { return p.known }

// Hidden are all secrets of the call, to be masked wherever it is shown.
func (p *Inspection) Hidden() []detect.Finding { return p.hidden[:len(p.hidden):len(p.hidden)] }

// Redactable is how many values of the call would be redacted.
func (p *Inspection) Redactable() int {
	return len(p.args.Secrets()) + len(p.extra.Secrets()) + len(p.known)
}

// Kept is what is kept of an inspection until its call was made. It holds no text of the call
// but what [passage.Act] does.
type Kept struct {
	class     mcpproxy.Class
	operation mcpproxy.Operation
	act       *passage.Act
	outgoing  *risk.Send
	sends     bool
	// credentials says that the call reads a file with credentials.
	credentials bool
	prints      []string // the host that [Inspection.PrintsOf] names
	reveals     bool     // as [Inspection.Reveals] says
}

// Kept is what [Inspector.Again] needs of the inspection.
func (p *Inspection) Kept() Kept {
	return Kept{
		class:     p.class,
		operation: p.operation,
		act:       p.act,
		outgoing:  p.outgoing,
		sends:     p.lineage.Sends,

		credentials: p.ReadsCredentials(),
		prints:      p.PrintsOf(),
		reveals:     p.Reveals(),
	}
}

// Sends reports whether the call counts as a send in its session once it is made.
func (k Kept) Sends() bool { return k.sends }

// Mask is a text about the call without the secrets of the call.
func (p *Inspection) Mask(s string) string { return p.masker()(s) }

// masker returns what masks the secrets of the call in a text about it. Where nothing is detected, since
// security.pii_detection.enabled is false, what looks like a credential is masked.
func (p *traced) masker() func(string) string {
	mask := detect.NewMasker(p.hidden).Text
	if p.by.Detector != nil {
		return mask
	}
	return func(s string) string { return redact.Secrets(mask(s)) }
}

// ShownCall is the call as others may read of it: a tool's name can be a secret.
func (p *Inspection) ShownCall() *mcpproxy.Call { return p.shown(p.hidden) }

// shown is the call with what is hidden masked in its tool's name.
func (p *subject) shown(hidden []detect.Finding) *mcpproxy.Call {
	name := detect.NewMasker(hidden).Text(p.call.Tool)
	if name == p.call.Tool {
		return p.call
	}
	c := *p.call
	c.Tool = name
	return &c
}
