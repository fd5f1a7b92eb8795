// Package raw is an MCP client for testing servers. It writes exactly the bytes that it is given,
// and it keeps answers that an ordinary client would reject.
//
// [Dial] opens a conversation over stdio, streamable HTTP or HTTP+SSE, in the protocol era that the
// server speaks. [Conn.Request] sends a request. [Conn.Frame] sends raw bytes. [Conn.HTTP] sends an
// HTTP request that no ordinary client would send. An answer comes unchanged, with its HTTP status
// and its duration. [Conn.Faults] lists where the server broke the protocol.
//
// Guarantees: the client sends only what the caller asked for, the handshake, and refusals of the
// server's own requests. Memory is bounded by the largest message. A child process ends with its
// conversation.
package raw
