// Package upstream keeps the connections to MCP servers: stdio, streamable HTTP
// and the older HTTP+SSE transport.
//
// A [Server] is one configured server; a [Link] is one conversation with it.
// Calls travel on links that belong to an [Owner], so that no two principals share
// what a server keeps for its client; lists are read on one that belongs to nobody.
// Messages pass raw: the package reads envelopes
// and routes them, it never decodes what is inside.
//
// A server that is dead, slow or lying delays and harms nobody else: servers
// connect side by side, every call has its own timeout and cancels upstream,
// frames are bounded, and a broken link is replaced with capped exponential
// backoff, or at once when a call needs it.
//
// Before a server stands a guard: a rate limit, a bounded queue with a deadline,
// a bound on calls under way, and a breaker that keeps calls away from a server
// that failed several times in a row, until one call at a time has shown that it
// works again. Only calls that read, or that can be done twice, are repeated,
// and only within a budget. [Server.Status] says where all that stands.
//
// Credentials travel encrypted or not at all, and stay with the configured host.
// A stdio server is started by an absolute path that not every user of the machine
// can change, and can be confined in files, network, Unix sockets, memory and time
// (see [Isolation]).
//
// The package knows nothing of the gate. Everything an agent sends has passed
// the gate before it comes here.
package upstream
