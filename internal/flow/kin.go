package flow

import (
	"slices"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/flow/match"
)

const (
	// maxKin bounds how many sessions of a principal a call is compared with beside its own.
	maxKin = 8
	// maxPrincipals bounds the principals whose sessions are known.
	maxPrincipals = 1024
)

// kinship knows the sessions of each principal that have read something private, the latest
// first. What was read in one of them may leave by another: an agent that starts a session, or
// comes by another address of the proxy, takes along what it knows. It is kept in memory only.
type kinship struct {
	mu sync.Mutex
	of map[string][]string // by principal
}

// note says that a session of a principal has read something private.
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

// others are the principal's sessions but for one.
func (k *kinship) others(principal, session string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(k.of[principal]), func(s string) bool { return s == session })
}

// fromKin adds what a call that goes out, or writes, carries of what other sessions of its
// principal have read inside. A call whose own session explains it is not looked at.
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

// inward reports whether what moves was read inside.
func inward(e mcpproxy.Edge) bool { return e.From.Side != mcpproxy.External }
