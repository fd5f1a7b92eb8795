package approval

import (
	"cmp"
	"fmt"
	"slices"

	"mcpproxy"
)

// Names used when the person who answered is unknown.
const (
	clientsUser = "the client's user"
	agentsUser  = "the agent's user"
	system      = "mcpproxy"
)

// stopping is the reason given to questions that are open when the program stops.
const stopping = "mcpproxy stops"

// settle sets the final answer of a question. The caller holds the lock.
func (d *Desk) settle(e *entry, o Outcome, by, source, why string) {
	if e.outcome != "" {
		return
	}
	e.outcome = o
	e.by = by
	e.why = why
	close(e.answered)
	if o != Approved {
		d.forget(e)
	}
	d.answered(e, by)
	d.hear(e.resolved(o, by, source, why))
}

// forget removes an entry that no call can use any more.
func (d *Desk) forget(e *entry) {
	e.expiry.Stop()
	delete(d.all, e.ID)
	if d.bound[e.Binding] == e {
		delete(d.bound, e.Binding)
	}
	if d.prompted[e.Activity] == e {
		delete(d.prompted, e.Activity)
	}
}

// end withdraws a question or revokes an unused approval.
func (d *Desk) end(e *entry, o Outcome, by, source, why string) {
	if e.outcome == Approved && !e.served {
		e.served = true
		d.forget(e)
		d.takenBack(e)
		d.hear(e.resolved(o, by, source, why))
		return
	}
	d.settle(e, o, by, source, why)
}

func (d *Desk) expire(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all[e.ID] != e {
		return
	}
	if e.outcome == Approved {
		d.end(e, Lapsed, system, "system", "")
		return
	}
	d.end(e, Expired, system, "system", "")
}

// Configure sets the rules for later calls. It withdraws questions that were asked under another
// configuration.
func (d *Desk) Configure(r Rules) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rules.Policy != r.Policy {
		d.memory = memory{changes: d.memory.changes}
	}
	d.rules = r
	for _, e := range d.inOrder() {
		if e.Policy != r.Policy {
			d.end(e, Withdrawn, system, "system", "the configuration has changed")
		}
	}
}

// Withdraw ends all open questions and unused approvals, and forgets the sessions' remembered
// answers.
func (d *Desk) Withdraw(why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.memory = memory{changes: d.memory.changes}
	for _, e := range d.inOrder() {
		d.end(e, Withdrawn, system, "system", why)
	}
}

// Close expires all open questions. A closed desk asks no more questions.
func (d *Desk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, e := range d.inOrder() {
		d.end(e, Expired, system, "system", stopping)
	}
}

// inOrder returns all entries, oldest first.
func (d *Desk) inOrder() []*entry {
	out := make([]*entry, 0, len(d.all))
	for _, e := range d.all {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *entry) int { return cmp.Or(a.Asked.Compare(b.Asked), cmp.Compare(a.ID, b.ID)) })
	return out
}

// Pending returns the open questions and the unused approvals, oldest first.
func (d *Desk) Pending() []Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := []Request{}
	for _, e := range d.inOrder() {
		r := e.Request
		r.Elicit, r.Approved = nil, e.outcome == Approved
		out = append(out, r)
	}
	return out
}

// Vote is a person's answer to a request.
type Vote struct {
	Approve bool
	For     mcpproxy.Remembered // how long the approval holds; "" for this call only
	By      string              // name of the person, for the log
}

// Decide answers a question for this one call. By is the name of the person, for the log.
func (d *Desk) Decide(id string, approve bool, by string) error {
	return d.Vote(id, Vote{Approve: approve, By: by})
}

// Vote answers a question. It can also revoke an unused approval or a remembered refusal.
func (d *Desk) Vote(id string, v Vote) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.all[id]
	if e == nil && v.Approve && !d.closed {
		e = d.reopen(id)
	}
	switch {
	case e == nil:
		return ErrUnknown
	case e.Channel == AgentPrompt:
		return ErrElsewhere
	case !v.Approve:
		d.end(e, Declined, v.By, "api", "")
		return nil
	case e.outcome == Approved:
		return ErrDecided
	case v.For != "" && !slices.Contains(e.Offers, v.For):
		return fmt.Errorf("%w: %s", ErrNotOffered, e.onlyOnce())
	}
	e.span = v.For
	if v.For == mcpproxy.RememberedAlways { // store the rule before the answer takes effect
		if err := d.keep(e, v.By); err != nil {
			e.span = ""
			return err
		}
	}
	d.settle(e, Approved, v.By, "api", "")
	return nil
}

// onlyOnce explains why the answer to a question cannot be remembered.
func (e *entry) onlyOnce() string {
	if e.Boundary == nil || e.Boundary.Once == "" {
		return "the call has no boundary for which an answer could be remembered"
	}
	return e.Boundary.Once
}
