// Package replica lets several gateways behind a load balancer be one: each principal is served by
// one of them at a time, its owner, whichever of them a request comes to.
//
// A [Group] is one replica's part in that. [Group.Route] stands before everything that a principal
// asks of the MCP endpoints. It claims the principal in the shared store, or sends the request on to
// the replica that owns it, with the caller's own credentials, which are checked there again.
//
// Guarantee: before any byte of an answer goes to an agent, what the principal's sessions have become
// is in the store, written by a replica that is the owner still. So whoever owns the principal when
// the agent sends its next call knows what the agent has read, also if the replica that brought it
// is gone by then. What cannot be written is not answered.
//
// While the store cannot be reached, calls are denied, or served with what each replica knows
// itself ([Options.Local]). Principals that were served so are marked as incomplete as soon as the
// store is back.
package replica
