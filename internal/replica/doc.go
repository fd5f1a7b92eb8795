// Package replica makes several gateways (replicas) behind a load balancer act as one gateway. At any
// time, one replica owns each principal and serves all its requests. The load balancer may send a
// request to any replica.
//
// A [Group] represents one replica in the group. The gateway calls [Group.Route] for every request to
// the MCP endpoints. Route claims the principal in the shared store. If another replica owns the
// principal, Route forwards the request to that replica together with the caller's credentials, and
// the owner checks the credentials again.
//
// Guarantee: before a replica sends the first byte of an answer to an agent, it writes the current
// state of the principal's sessions to the store, and the store accepts the write from the current
// owner only. So the replica that serves the agent's next call knows what the agent has read, even if
// the replica that served the last call has stopped. If the write fails, the replica withholds the
// answer.
//
// While the store cannot be reached, replicas deny calls, or serve them with the sessions that each
// replica has in memory ([Options.Local]). As soon as the store is back, they mark the sessions of the
// principals that they served in the meantime as incomplete.
package replica
