package approval

// Prompted notes that an agent asks its own user about a call that its hook has announced. It
// returns the request's id with the outcome Waiting. The answer becomes known when the call arrives
// or when the hook reports that the call was made. If an earlier answer decides the call, Prompted
// returns that answer, and the agent does not ask.
func (d *Desk) Prompted(r Request) Answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return Answer{Outcome: Waiting}
	}
	if a, known := d.recall(r); known {
		return a
	}
	var oldest *entry
	n := 0
	for _, e := range d.prompted {
		if e.Principal != r.Principal {
			continue
		}
		n++
		if oldest == nil || e.Asked.Before(oldest.Asked) {
			oldest = e
		}
	}
	if n >= maxOpen {
		d.end(oldest, Expired, system, "system", "")
	}
	r.Channel = AgentPrompt
	e := d.add(r)
	d.prompted[r.Activity] = e
	return Answer{ID: e.ID, Outcome: Waiting, Expires: e.Expires}
}

// Post records a question that nobody can answer at present. A person can approve it later; the
// call passes when the agent sends it again. Post returns the outcome Posted, or an earlier answer
// if there is one.
func (d *Desk) Post(r Request) Answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return Answer{Outcome: Withdrawn, Why: stopping}
	}
	e := d.bound[r.Binding]
	if e != nil && e.outcome == Approved {
		return d.serve(e)
	}
	if a, known := d.recall(r); known {
		return a
	}
	if e == nil {
		if d.count(r.Principal) >= maxOpen {
			return Answer{Outcome: Full}
		}
		r.Channel = Queue
		e = d.add(r)
		e.posted = true
		d.bound[r.Binding] = e
	}
	return Answer{ID: e.ID, Outcome: Posted, Expires: e.Expires}
}

// Ran tells the desk that the call of a hook evaluation was made. This means that the user answered
// the agent's prompt with yes.
func (d *Desk) Ran(activity string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.prompted[activity]; e != nil {
		d.settle(e, Approved, agentsUser, "hook", "")
		d.serve(e)
	}
}

// sameCall reports whether r is the call that an agent's prompt showed. It ignores the protocol
// session, because hooks do not know it.
func (e *entry) sameCall(r Request) bool {
	b := r.Binding
	b.Session = e.Session
	return b == e.Binding
}
