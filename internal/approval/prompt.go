package approval

// Told notes that an agent asks its user about a call, of which its hook has told
// beforehand, and returns the id of the request. The answer is known when the call
// comes, or when its hook reports that it was made.
func (d *Desk) Told(r Request) (id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ""
	}
	var oldest *entry
	n := 0
	for _, e := range d.told {
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
	d.told[r.Activity] = e
	return e.ID
}

// Ran hears that the call of a hook's evaluation was made: whoever was asked by the
// agent has agreed.
func (d *Desk) Ran(activity string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.told[activity]; e != nil {
		d.settle(e, Approved, agentsUser, "hook", "")
		d.serve(e)
	}
}

// sameCall reports whether r is the call that an agent's prompt showed. Its
// protocol session is not known to hooks.
func (e *entry) sameCall(r Request) bool {
	b := r.Binding
	b.Session = e.Session
	return b == e.Binding
}
