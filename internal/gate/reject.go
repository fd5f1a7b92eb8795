package gate

import (
	"mcpproxy"
	"mcpproxy/internal/gate/journal"
)

// Reject writes down a call that was refused before it could be judged: one that could
// not be read, that names nothing there is, or for which there was no room. Nothing of the
// call needs to be set but its channel. A principal that is refused very often gets a
// bounded number of records a minute, and one more that says how many were left out.
func (g *Gate) Reject(call *mcpproxy.Call, reason string) {
	if !g.journal.Admit(call.Principal) {
		return
	}
	d := g.begin(Request{Call: call})
	g.journal.Reject(d.settings.inspector, d.Call, reason)
}

// RefuseRequest writes down an HTTP request that was refused for who sent it, and returns
// the record. It returns nil, and does not ask about the request, where one of its kind has
// a record of the last minutes: such requests are only counted.
func (g *Gate) RefuseRequest(
	kind journal.RequestKind, about func() journal.RefusedRequest,
) *mcpproxy.Record {
	return g.journal.RefuseRequest(kind, about)
}

// CloseRejections writes down how many refusals were left out so far. It is for a daemon
// that stops.
func (g *Gate) CloseRejections() { g.journal.CloseRejections() }
