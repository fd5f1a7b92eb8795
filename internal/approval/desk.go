package approval

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// Rules are the settings in security.approvals.
type Rules struct {
	Elicitation bool          // clients that can are asked
	Wait        time.Duration // how long a call waits in the queue; 0: it does not
	Watched     time.Duration // how long it waits where Wait is 0 and somebody watches the queue; 0: it does not
	Expiry      time.Duration // how long a question stands, and an unused approval
	Policy      string        // hash of the configuration that decides
}

// maxOpen bounds the open questions of one principal, those of agents' own
// prompts counted apart. What comes beyond is refused; of prompts, which the agent
// shows in any case, the oldest is no longer waited for.
const maxOpen = 32

// Desk holds the open questions, and the approvals whose call has not come yet.
type Desk struct {
	hear func(Event)

	mu       sync.Mutex
	rules    Rules
	closed   bool
	all      map[string]*entry // by id
	bound    map[Binding]*entry
	prompted map[string]*entry // by the hook's evaluation; only of agents' prompts
	memory   memory            // answers of sessions
	keeper   Keeper            // of answers for always; nil when none are kept

	watched func() bool // reports whether somebody watches the queue; nil when nobody does
}

// entry is a question, or an approval whose call has not come yet.
type entry struct {
	Request
	outcome  Outcome             // "" while it is open
	span     mcpproxy.Remembered // for how long a person agreed
	by, why  string
	answered chan struct{} // closed when it is no longer open
	waiting  int           // calls that wait for the answer
	served   bool
	posted   bool // nobody waits for the answer; see [Desk.Post]
	expiry   *time.Timer
}

// New returns a desk without questions. It calls hear with every event, in order; hear must not
// call the desk.
func New(r Rules, hear func(Event)) *Desk {
	return &Desk{
		rules:    r,
		hear:     hear,
		all:      map[string]*entry{},
		bound:    map[Binding]*entry{},
		prompted: map[string]*entry{},
	}
}

// Keep makes k store the answers that hold for always, and makes the desk follow those that k
// already has. Call it before the desk is used.
func (d *Desk) Keep(k Keeper) { d.keeper = k }

// Watch sets the function by which the desk finds out whether a person looks at the queue now, for
// example on the page. Call it before the desk is used; watched must not call the desk.
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

// Ask asks a person whether the call of r may pass, and waits as long as the rules say or until ctx
// ends.
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

// open returns the question that r belongs to or the approval that it uses, or creates a question.
// If it returns no entry, the answer is final.
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

// add creates a question.
func (d *Desk) add(r Request) *entry {
	r.ID, r.Asked = ulid.Make().String(), time.Now().UTC()
	r.Expires = r.Asked.Add(d.rules.Expiry)
	if d.keeper == nil {
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

// count returns how many questions and unused approvals a principal has, without those of agents'
// own prompts.
func (d *Desk) count(principal string) (n int) {
	for _, e := range d.all {
		if e.Principal == principal && e.Channel != AgentPrompt {
			n++
		}
	}
	return n
}

// elicit makes the client ask its user. The owner may answer on the page or the command line before
// that.
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
	case ctx.Err() != nil: // the call is cancelled, whatever was answered
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

// serve returns the answer of a settled entry. An approval is used up by it.
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
