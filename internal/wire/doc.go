// Package wire holds MCP messages as they travel: raw JSON-RPC 2.0 envelopes,
// their framing on stdio (one message a line) and in server-sent events, and
// the names that the two protocol eras use.
//
// A proxy must not lose what it does not understand. A [Message] therefore
// keeps the sender's own bytes; the package finds members by their offsets and
// replaces spans, it never decodes and re-encodes. What it decides on it reads
// strictly: a duplicate key, a key that differs from a known one only in case,
// invalid UTF-8 and excessive nesting are errors, so that no parser further
// along can see another message than this one saw.
//
// Sources: JSON-RPC 2.0; Model Context Protocol revisions 2024-11-05 to
// 2025-11-25 (stateful) and 2026-07-28 (stateless).
package wire
