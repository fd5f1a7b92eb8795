package flow

import (
	"slices"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/flow/match"
)

const (
	// maxKin is the number of other sessions of a principal with which a call is compared.
	maxKin = 8
	// maxPrincipals is the number of principals whose sessions are recorded.
	maxPrincipals = 1024
)

// kinship records the sessions of each principal that have read private data, the latest first. Data that one session
// has read can leave through another one, because an agent that starts a new session, or connects to another address
// of mcpproxy, still has the data. The records are kept in memory only.
type kinship struct {
	mu sync.Mutex
	of map[string][]string // sessions by principal
}

// note records that a session of a principal has read private data.
func (k *kinship) note(principal, session string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := k.of[principal]
	if len(all) > 0 && all[0] == session {
		return
	}
	if k.of == nil || len(k.of) > maxPrincipals {
		k.of = map[string][]string{}
	}
	all = slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == session })
	k.of[principal] = slices.Insert(all, 0, session)[:min(len(all)+1, maxKin+1)]
}

// others returns the principal's other sessions.
func (k *kinship) others(principal, session string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(k.of[principal]), func(s string) bool { return s == session })
}

// fromKin adds edges for internal data from other sessions of the principal, if the call sends or writes. It skips
// calls whose own session already explains the data.
func (t *Tracker) fromKin(p Transfer, q *match.Query, trace *Lineage) {
	if p.Operation == mcpproxy.Read && !p.Class.Leaves() || slices.ContainsFunc(trace.Edges, inward) {
		return
	}
	own := t.Session(p.Call.FlowSession)
	for _, key := range t.kin.others(p.Call.Principal, p.Call.FlowSession) {
		key = t.Session(key)
		other, ok := t.sessions.Peek(key)
		if !ok || key == own {
			continue
		}
		other.lock()
		edges, _ := other.edges(p, other.contents.FindAgain(q))
		other.mu.Unlock()
		edges = slices.DeleteFunc(edges, func(e mcpproxy.Edge) bool { return !inward(e) || len(e.Sensitive) > 0 })
		if trace.Edges = append(trace.Edges, edges...); len(edges) > 0 {
			return
		}
	}
}

// inward reports whether the data of an edge comes from a source that is not external.
func inward(e mcpproxy.Edge) bool { return e.From.Side != mcpproxy.External }
