package gate

import (
	"mcpproxy"
	"mcpproxy/internal/gate/journal"
)

// Reject records a call that was refused before the policy could decide: it could not be read, it names nothing that
// exists, or there was no room for it. Only the channel of the call must be set. A principal whose calls are refused
// very often gets a bounded number of records a minute, and one more with the number of calls that were left out.
func (g *Gate) Reject(call *mcpproxy.Call, reason string) {
	if !g.journal.Admit(call.Principal) {
		return
	}
	d := g.begin(Request{Call: call})
	g.journal.Reject(d.settings.inspector, d.settings.AtRest, d.Call, reason)
}

// RefuseRequest records an HTTP request that was refused because of its sender, and returns the record. If a request
// of the same kind was recorded within the last minutes, it only counts the request, returns nil and does not call
// about.
func (g *Gate) RefuseRequest(
	kind journal.RequestKind, about func() journal.RefusedRequest,
) *mcpproxy.Record {
	return g.journal.RefuseRequest(kind, about)
}

// CloseRejections records how many refusals were left out so far. The daemon calls it when it stops.
func (g *Gate) CloseRejections() { g.journal.CloseRejections() }
