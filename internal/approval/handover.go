package approval

import (
	"encoding/json"
	"fmt"
	"slices"
)

// savedAnswer is a remembered answer in the form in which another gateway takes it over.
type savedAnswer struct {
	About   string  `json:"about"`
	Yes     bool    `json:"yes"`
	Request Request `json:"request"`
	Tool    string  `json:"tool"`   // of the binding, without masks
	Ruling  string  `json:"ruling"` // of the binding
	Source  string  `json:"source"`
}

// Versions returns the sessions of a principal with remembered answers. The version of a session changes with
// every change of its answers.
func (d *Desk) Versions(principal string) map[string]uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]uint64{}
	for k, of := range d.memory.sessions {
		if k.principal == principal && len(of.of) > 0 {
			out[k.session] = of.version
		}
	}
	return out
}

// Save returns the remembered answers of a session, and their version. The caller must keep raw as secret as the
// arguments of calls.
func (d *Desk) Save(principal, session string) (raw []byte, version uint64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	of := d.memory.sessions[sessionKey{principal, session}]
	if of == nil { // forgotten since the caller listed the versions
		return []byte("[]"), 0, nil
	}
	saved := []savedAnswer{}
	for _, about := range of.order {
		p := of.of[about]
		saved = append(saved, savedAnswer{
			About:   about,
			Yes:     p.yes,
			Request: p.request,
			Tool:    p.request.Tool,
			Ruling:  p.request.Ruling,
			Source:  p.request.source,
		})
	}
	raw, err = json.Marshal(saved)
	return raw, of.version, err
}

// Take replaces the remembered answers of a principal with those that another gateway has saved. The keys of saved
// are sessions. Take ignores answers that were given under another configuration. After an error, the principal has
// no remembered answers, so that people are asked again.
func (d *Desk) Take(principal string, saved map[string][]byte) error {
	d.Dismiss(principal)
	d.mu.Lock()
	defer d.mu.Unlock()
	for session, raw := range saved {
		var all []savedAnswer
		if err := json.Unmarshal(raw, &all); err != nil {
			d.dismiss(principal)
			return fmt.Errorf("reading the remembered answers of a session: %w", err)
		}
		k := sessionKey{principal, session}
		for _, s := range all {
			r := s.Request
			r.Tool, r.Ruling = s.Tool, s.Ruling
			r.source = s.Source
			if r.Policy == d.rules.Policy && r.Principal == principal && r.Boundary != nil {
				d.memory.add(k, s.About, &past{yes: s.Yes, request: r})
			}
		}
	}
	return nil
}

// Dismiss forgets the remembered answers of a principal that another gateway serves now, and withdraws its
// questions and unused approvals.
func (d *Desk) Dismiss(principal string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.inOrder() {
		if e.Principal == principal {
			d.end(e, Withdrawn, system, "system", "another gateway serves the caller now")
		}
	}
	d.dismiss(principal)
}

// dismiss forgets the remembered answers of a principal. The caller holds the lock.
func (d *Desk) dismiss(principal string) {
	for k := range d.memory.sessions {
		if k.principal == principal {
			delete(d.memory.sessions, k)
		}
	}
	d.memory.order = slices.DeleteFunc(d.memory.order, func(k sessionKey) bool { return k.principal == principal })
}
