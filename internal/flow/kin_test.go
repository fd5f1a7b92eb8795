package flow_test

import (
	"slices"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/flow"
)

// An agent that opens a second session, or connects to another address of mcpproxy, still has the data that it read in
// the first session.
func TestInternalDataOfOneSessionIsFoundInAnotherOfThePrincipal(t *testing.T) {
	const memo = "The board agreed to buy the Larchmont warehouse before the summer and to tell nobody until the lease is signed."
	moves := func(a *agent, class mcpproxy.Class, operation mcpproxy.Operation) bool {
		p := a.passage("mail", "send", class, says(memo), "arguments")
		p.Operation = operation
		trace := a.tracker.Check(p)
		return slices.ContainsFunc(trace.Edges, func(e mcpproxy.Edge) bool { return e.Type == mcpproxy.InternalToExternal })
	}
	a := newAgent(t, limits)
	reads("db", internal, content(memo), false)(a)
	if !moves(a.in("session-2", "alice"), external, mcpproxy.Write) {
		t.Error("no edge for the memo in another session of the principal")
	}
	if moves(a.in("session-3", "bob"), external, mcpproxy.Write) {
		t.Error("an edge for the memo in a session of another principal")
	}
	own := a.in("session-4", "alice")
	reads("db", internal, content(memo), false)(own)
	if !moves(own, external, mcpproxy.Write) {
		t.Error("no edge for the memo in a session that has read it")
	}
	without := newAgent(t, flow.Limits{})
	reads("db", internal, content(memo), false)(without)
	if moves(without.in("session-2", "alice"), external, mcpproxy.Write) {
		t.Error("an edge although tracking is disabled")
	}
}
