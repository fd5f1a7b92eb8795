// Package upstream connects to MCP servers over stdio, streamable HTTP and the older
// HTTP+SSE transport.
//
// A [Server] is one configured server; a [Link] is one MCP conversation with it. Each [Owner]
// has a link of its own for calls, so that two principals never share the state that a server
// keeps for its client. Lists are read on a link without an owner. Messages are forwarded as
// they are: the package reads the JSON-RPC envelope and does not decode the content.
//
// A server that is dead, slow or faulty does not affect the others. Servers connect
// concurrently, every call has a timeout after which it is cancelled on the server too, and
// the length of messages is limited. A broken link is opened again with capped exponential
// backoff, or at once when a call needs it.
//
// The calls of each server pass a rate limit, a bounded queue with a deadline, a limit on
// concurrent calls, and a circuit breaker. The breaker refuses calls after several failures
// in a row, until one trial call succeeds. A call is repeated once if it only reads, may safely be
// made twice, or certainly was not executed. The number of repeated calls is limited.
// [Server.Status] reports the state.
//
// Credentials are sent only over encrypted connections and only to the configured host. A
// stdio server is started by an absolute path that other users of the machine cannot change.
// Its access to files, network and Unix sockets, its memory and its CPU time can be limited
// (see [Isolation]).
//
// The package does not know the gate. All that an agent sends has passed the gate before.
package upstream
