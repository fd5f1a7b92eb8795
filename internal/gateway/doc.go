// Package gateway is the MCP server that agents connect to.
//
// Three kinds of endpoint share one handler. /mcp offers a few tools of this proxy, which
// find and call the tools of all servers. /mcp/all offers every tool of every server under
// the name server__tool. /mcp/s/<server> offers one server, with its own names.
//
// Each endpoint serves both protocol eras at the same time. A request of revision 2026-07-28
// is complete in itself; older clients have a [session]. A client of either era can use a
// server of either era. [Gateway.bridge] translates between them: a server's own request
// becomes a request on the client's stream or an input_required result, and the answer is
// translated back.
//
// Messages are forwarded as the sender's own bytes. Every request, and every answer of a
// client to a server, goes through the gate in [Gateway.forward]. No other function of this
// package passes an agent's data to a server.
package gateway
