package approval

import (
	"slices"
	"time"

	"mcpproxy"
)

// Limits of the remembered answers. Beyond a limit the oldest answer is forgotten, and the person
// is asked again.
const (
	maxSessions = 1000
	maxAnswers  = 1000 // answers of one session
)

// RuleStore stores permanent approvals as rules. It is safe for concurrent use.
type RuleStore interface {
	// Allows returns the id of the rule that covers the calls of a boundary; ok is false if no rule
	// does.
	Allows(b mcpproxy.Boundary) (rule string, ok bool)
	// Keep stores a rule for a boundary. It returns the rule's id after the rule is on disk.
	Keep(b mcpproxy.Boundary, request, by string) (rule string, err error)
}

// memory holds the remembered answers of each session.
type memory struct {
	sessions map[sessionKey]*answers
	order    []sessionKey // keys, oldest first
	changes  uint64       // number of changes so far
}

// sessionKey identifies a session of a principal.
type sessionKey struct{ principal, session string }

// answers are the remembered answers of one session. The keys of the map are boundaries and single
// calls.
type answers struct {
	of      map[string]*past
	order   []string // keys, oldest first
	version uint64   // changes with every change of the answers
}

// past is a remembered answer.
type past struct {
	yes     bool
	request Request
}

// sessionOf returns the session of a request; ok is false if answers of the request cannot be
// remembered.
func (r *Request) sessionOf() (k sessionKey, ok bool) {
	k = sessionKey{r.Principal, r.FlowSession}
	if k.session == "" {
		k.session = r.Session
	}
	return k, k.session != "" && r.Boundary != nil
}

// wide returns the key of every call within the request's boundary. Narrow returns the key of this
// one call.
func (r *Request) wide() string   { return r.Boundary.Key() }
func (r *Request) narrow() string { return r.Boundary.Key() + "\n" + r.Arguments }

// recall returns the remembered answer to a request. The caller holds the lock.
func (d *Desk) recall(r Request) (Answer, bool) {
	if r.Boundary == nil {
		return Answer{}, false
	}
	if k, ok := r.sessionOf(); ok {
		if p := d.memory.find(k, &r); p != nil {
			a := Answer{ID: p.request.ID, Outcome: Declined, Remembered: mcpproxy.RememberedSession}
			if p.yes {
				a.Outcome = Approved
			}
			return a, true
		}
	}
	if d.always != nil && r.Boundary.Once == "" {
		if id, ok := d.always.Allows(*r.Boundary); ok {
			return Answer{ID: id, Outcome: Approved, Remembered: mcpproxy.RememberedAlways}, true
		}
	}
	return Answer{}, false
}

// UserSpoke tells the desk that the user has written a message in a session. The desk then forgets the
// session's refusals, because the user may now want what was refused. Approvals stay in force.
func (d *Desk) UserSpoke(principal, session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	of := d.memory.sessions[sessionKey{principal, session}]
	if of == nil {
		return
	}
	for about, p := range of.of {
		if !p.yes {
			d.memory.forget(of, about)
		}
	}
}

// answered remembers an answer that is a refusal, or an approval that covers more than one call.
// The caller holds the lock.
func (d *Desk) answered(e *entry, by string) {
	k, ok := e.sessionOf()
	switch {
	case !ok:
	case e.outcome == Declined:
		d.memory.add(k, e.wide(), &past{request: e.Request})
	case e.outcome != Approved || e.Boundary.Once != "" || e.span == "" || e.span == mcpproxy.RememberedOnce:
	default:
		if e.span == mcpproxy.RememberedAlways && e.Channel == Elicitation && d.keep(e, by) != nil {
			e.span = mcpproxy.RememberedSession // storing it failed
		}
		d.memory.add(k, e.wide(), &past{yes: true, request: e.Request})
	}
}

// served remembers that an approved call was made, so that the session is not asked the same
// question again. This also applies to an agent's own prompt, which offers no choice of duration.
// The caller holds the lock.
func (d *Desk) served(e *entry) {
	k, ok := e.sessionOf()
	if !ok || e.Boundary.Once != "" {
		return
	}
	about := e.narrow()
	if e.Channel == AgentPrompt {
		about = e.wide()
	}
	d.memory.add(k, about, &past{yes: true, request: e.Request})
}

// takenBack remembers that the person revoked an unused approval. The caller holds the lock.
func (d *Desk) takenBack(e *entry) {
	if k, ok := e.sessionOf(); ok && d.memory.sessions[k] != nil {
		d.memory.forget(d.memory.sessions[k], e.wide())
	}
}

// keep stores a permanent approval. The caller holds the lock.
func (d *Desk) keep(e *entry, by string) error {
	if d.always == nil {
		return ErrNotOffered
	}
	_, err := d.always.Keep(e.Boundary.Clone(), e.ID, by)
	return err
}

// reopen removes the remembered refusal of a request, so that a person can approve the request. It
// returns nil if no refusal is remembered. The caller holds the lock.
func (d *Desk) reopen(id string) *entry {
	for _, of := range d.memory.sessions {
		for key, p := range of.of {
			if p.yes || p.request.ID != id || d.bound[p.request.Binding] != nil {
				continue
			}
			d.memory.forget(of, key)
			r := p.request
			r.Asked = time.Now().UTC()
			r.Expires = r.Asked.Add(d.rules.Expiry)
			r.Policy = d.rules.Policy
			r.Channel = Queue
			e := &entry{Request: r, answered: make(chan struct{}), posted: true}
			d.all[e.ID] = e
			d.bound[e.Binding] = e
			e.expiry = time.AfterFunc(d.rules.Expiry, func() { d.expire(e) })
			return e
		}
	}
	return nil
}

// find returns a session's remembered answer to a request. An answer to the same call takes
// precedence over an answer to the same boundary.
func (m *memory) find(k sessionKey, r *Request) *past {
	of := m.sessions[k]
	if of == nil {
		return nil
	}
	if p := of.of[r.narrow()]; p != nil {
		return p
	}
	return of.of[r.wide()]
}

// add remembers an answer and replaces an earlier answer with the same key.
func (m *memory) add(k sessionKey, about string, p *past) {
	of := m.sessions[k]
	if of == nil {
		if m.sessions == nil {
			m.sessions = map[sessionKey]*answers{}
		}
		if len(m.order) >= maxSessions {
			delete(m.sessions, m.order[0])
			m.order = slices.Delete(m.order, 0, 1)
		}
		of = &answers{of: map[string]*past{}}
		m.sessions[k] = of
		m.order = append(m.order, k)
	}
	p.request.Elicit = nil
	of.forget(about)
	if len(of.order) >= maxAnswers {
		of.forget(of.order[0])
	}
	of.of[about] = p
	of.order = append(of.order, about)
	m.changes++
	of.version = m.changes
}

// forget removes an answer of a session.
func (m *memory) forget(of *answers, about string) {
	of.forget(about)
	m.changes++
	of.version = m.changes
}

// forget removes an answer.
func (a *answers) forget(about string) {
	if a.of[about] == nil {
		return
	}
	delete(a.of, about)
	a.order = slices.DeleteFunc(a.order, func(s string) bool { return s == about })
}
