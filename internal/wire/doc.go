// Package wire reads and writes MCP messages: JSON-RPC 2.0 envelopes, their framing on stdio (one message a line) and
// in server-sent events, and the names that the two protocol eras use.
//
// A proxy must not lose members that it does not know. A [Message] therefore keeps the sender's bytes. The package
// finds members by their offsets and replaces parts of the bytes; it never decodes a message and encodes it again. It
// is strict about the members that mcpproxy uses for decisions: a duplicate key, a key that differs from a known one
// only in case, invalid UTF-8 and excessive nesting are errors. So no later parser can read another message than this
// package.
//
// Sources: JSON-RPC 2.0; Model Context Protocol revisions 2024-11-05 to 2025-11-25 (stateful) and 2026-07-28
// (stateless).
package wire
