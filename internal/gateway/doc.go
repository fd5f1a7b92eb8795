// Package gateway speaks MCP towards agents.
//
// Three kinds of endpoint share one handler: /mcp offers this proxy's own few
// tools, which find and call all others; /mcp/all offers every tool of every
// server under server__tool; /mcp/s/<server> is one server, nothing renamed,
// everything passed on.
//
// On each, both protocol eras are served side by side: a request of revision
// 2026-07-28 stands alone, older clients hold a [session]. Either may talk to a
// server of either era. What differs is bridged in one place ([Gateway.bridge]):
// the server's own requests become requests on the client's stream, or
// input_required results, and back.
//
// Messages are forwarded as their sender's own bytes. Every request, and every
// answer of a client to a server, goes through the gate ([Gateway.forward]) — no
// other function of this package hands an agent's data to a server.
package gateway
