// Package raw is an MCP client for testing servers: it writes whatever bytes it
// is told to, and keeps what no decent client would show.
//
// [Dial] opens a conversation over stdio, streamable HTTP or HTTP+SSE, in
// whichever protocol era the server speaks. [Conn.Request] asks, [Conn.Frame]
// sends bytes of the caller's own, [Conn.HTTP] makes an HTTP request that no
// client should make. Every answer comes as it was, with its HTTP status and the
// time it took. Where the server broke the protocol, [Conn.Faults] says so.
//
// The room's guarantee: nothing is sent but what the caller asked for, the
// handshake, and refusals of the server's own requests; memory is bounded by the
// largest message; a child process ends with its conversation.
package raw
