package approval

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// Rules are the settings of security.approvals.
type Rules struct {
	Elicitation bool          // whether clients that support elicitation ask their user
	Wait        time.Duration // how long a call waits in the queue; 0 for not at all
	Watched     time.Duration // like Wait, if Wait is 0 and a person is watching the queue
	Expiry      time.Duration // lifetime of a question and of an unused approval
	Policy      string        // hash of the effective configuration
}

// maxOpen limits the open questions of one principal. Prompts that agents show themselves are
// counted separately. A question beyond the limit is refused. A prompt beyond the limit is
// accepted, because the agent shows it anyway, and the oldest prompt is dropped.
const maxOpen = 32

// Desk holds the open questions and the approvals that no call has used yet.
type Desk struct {
	hear func(Event)

	mu       sync.Mutex
	rules    Rules
	closed   bool
	all      map[string]*entry // entries by request id
	bound    map[Binding]*entry
	prompted map[string]*entry // agents' own prompts by the id of the hook evaluation
	memory   memory            // remembered answers of sessions
	always   RuleStore         // stores permanent approvals; nil if they are not stored

	watched func() bool // reports whether a person is watching the queue; nil means false
}

// entry is a question, or an approval that no call has used yet.
type entry struct {
	Request
	outcome  Outcome             // "" while the question is open
	span     mcpproxy.Remembered // how long the approval holds
	by, why  string
	answered chan struct{} // closed when the question ends
	waiting  int           // number of calls waiting for the answer
	served   bool
	posted   bool // no call waits for the answer; see [Desk.Post]
	expiry   *time.Timer
}

// New returns an empty desk. The desk passes every event to hear, in order; hear must not call the
// desk.
func New(r Rules, hear func(Event)) *Desk {
	return &Desk{
		rules:    r,
		hear:     hear,
		all:      map[string]*entry{},
		bound:    map[Binding]*entry{},
		prompted: map[string]*entry{},
	}
}

// Keep makes the desk store permanent approvals in k and apply those that k already holds. It
// must be called before the desk is used.
func (d *Desk) Keep(k RuleStore) { d.always = k }

// Watch sets the function that reports whether a person is watching the queue, for example on the
// web page. It must be called before the desk is used; watched must not call the desk.
func (d *Desk) Watch(watched func() bool) { d.watched = watched }

// patience returns how long a call waits in the queue; 0 if it does not wait. The caller holds the
// lock.
func (d *Desk) patience() time.Duration {
	if d.rules.Wait > 0 {
		return d.rules.Wait
	}
	if d.rules.Watched > 0 && d.watched != nil && d.watched() {
		return d.rules.Watched
	}
	return 0
}

// Ask asks a person whether the call of r may pass. It waits for as long as the rules allow or
// until ctx ends.
func (d *Desk) Ask(ctx context.Context, r Request) Answer {
	e, wait, a := d.open(r)
	switch {
	case e == nil:
		return a
	case e.Channel == Elicitation:
		return d.elicit(ctx, e, r.Elicit)
	}
	return d.wait(ctx, e, wait)
}

// open returns the existing question or unused approval for r, or creates a question. If it returns
// a nil entry, the answer is final.
func (d *Desk) open(r Request) (*entry, time.Duration, Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, 0, Answer{Outcome: Withdrawn, Why: stopping}
	}
	if e := d.prompted[r.Evaluation]; e != nil && r.Evaluation != "" && e.sameCall(r) {
		d.settle(e, Approved, agentsUser, "hook", "")
		return nil, 0, d.serve(e)
	}
	if e := d.bound[r.Binding]; e != nil {
		switch {
		case e.outcome == Approved:
			return nil, 0, d.serve(e)
		case e.Channel == Elicitation:
			return nil, 0, Answer{ID: e.ID, Outcome: Busy}
		}
		patience := d.patience()
		if e.posted && patience == 0 && (r.Elicit == nil || !d.rules.Elicitation) {
			return nil, 0, Answer{Outcome: Nobody}
		}
		e.waiting++
		return e, patience, Answer{}
	}
	if a, known := d.recall(r); known {
		return nil, 0, a
	}
	patience := d.patience()
	switch {
	case r.Elicit != nil && d.rules.Elicitation:
		r.Channel = Elicitation
	case patience > 0:
		r.Channel = Queue
	default:
		return nil, 0, Answer{Outcome: Nobody}
	}
	if d.count(r.Principal) >= maxOpen {
		return nil, 0, Answer{Outcome: Full}
	}
	e := d.add(r)
	d.bound[r.Binding] = e
	e.waiting = 1
	return e, patience, Answer{}
}

// add creates a question and reports it.
func (d *Desk) add(r Request) *entry {
	r.ID, r.Asked = ulid.Make().String(), time.Now().UTC()
	r.Expires = r.Asked.Add(d.rules.Expiry)
	if d.always == nil {
		r.Offers = slices.DeleteFunc(slices.Clone(r.Offers), func(s mcpproxy.Remembered) bool {
			return s == mcpproxy.RememberedAlways
		})
	}
	e := &entry{Request: r, answered: make(chan struct{})}
	d.all[e.ID] = e
	e.expiry = time.AfterFunc(d.rules.Expiry, func() { d.expire(e) })
	d.hear(e.requested())
	return e
}

// count returns the number of open questions and unused approvals of a principal. Agents' own
// prompts are not counted.
func (d *Desk) count(principal string) (n int) {
	for _, e := range d.all {
		if e.Principal == principal && e.Channel != AgentPrompt {
			n++
		}
	}
	return n
}

// elicit makes the client ask its user. An answer from the page or the command line may arrive
// first.
func (d *Desk) elicit(ctx context.Context, e *entry, ask User) Answer {
	asking, cancel := context.WithDeadline(ctx, e.Expires)
	defer cancel()
	go func() {
		select {
		case <-e.answered:
			cancel()
		case <-asking.Done():
		}
	}()
	reply, err := ask(asking, Prompt{e.Text, e.Offers})
	d.mu.Lock()
	defer d.mu.Unlock()
	outcome, by := Cancelled, clientsUser
	switch {
	case ctx.Err() != nil: // the call was cancelled, so the reply does not matter
		by = "agent"
	case asking.Err() != nil:
		outcome, by = Expired, system
	case err != nil:
		outcome, by = Failed, "client"
	case reply.Action == "accept":
		outcome = Approved
		if e.outcome == "" && slices.Contains(e.Offers, reply.For) {
			e.span = reply.For
		}
	case reply.Action == "decline":
		outcome = Declined
	}
	d.settle(e, outcome, by, e.source, "")
	if e.outcome == Approved && ctx.Err() != nil {
		return Answer{ID: e.ID, Outcome: Cancelled}
	}
	return d.serve(e)
}

// wait waits for an answer from the command line or the page.
func (d *Desk) wait(ctx context.Context, e *entry, wait time.Duration) Answer {
	patience := time.NewTimer(wait)
	defer patience.Stop()
	select {
	case <-e.answered:
	case <-ctx.Done():
	case <-patience.C:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	e.waiting--
	switch {
	case ctx.Err() != nil:
		if e.waiting == 0 {
			d.settle(e, Cancelled, "agent", e.source, "")
		}
		return Answer{ID: e.ID, Outcome: Cancelled}
	case e.outcome == "":
		return Answer{ID: e.ID, Outcome: Waiting, Expires: e.Expires}
	}
	return d.serve(e)
}

// serve returns the answer of a settled entry and marks an approval as used.
func (d *Desk) serve(e *entry) Answer {
	a := Answer{
		ID:      e.ID,
		Outcome: e.outcome,
		By:      e.by,
		Why:     e.why,
	}
	if e.outcome != Approved {
		return a
	}
	if e.served {
		a.Outcome = Used
		return a
	}
	e.served = true
	d.forget(e)
	d.served(e)
	return a
}
