// Package flow follows data from the call that produced it to the calls that
// carry it on.
//
// Every result is an origin; the hashes of its texts are kept for the session.
// Every call's arguments are looked up among them, and each match is an edge.
// Hashes are SHA-256 truncated to 128 bits over the whole content, over every
// string of at least 20 characters, over their folded form, over unbroken words
// inside longer texts, and over every secret found (spec-027, FR-010 to FR-013;
// RFC-004, phase 5).
//
// What cannot identify data is not hashed: identifiers, dates, addresses, and
// texts that hold little information. What the agent could have known from
// public (external) results, and what three or more origins share, is no flow —
// unless it is a secret.
//
// Guarantee: a secret, or an unbroken word or whole field of at least 20
// characters, that an internal result produced and an argument repeats is an
// edge, whatever its case and surrounding white space.
//
// Who chose where a call goes is looked up too: addresses, names and other
// recipients among the user's own words, the results of the session, and the
// instructions to the agent that were found in them (destination.go, recipient.go).
// Of the values only hashes are kept. What is trusted must be the same to the
// letter; what an instruction spelled is recognised in any spelling, and stays
// its choice whatever the session meets later, unless the user names it.
//
// A session that a client can choose is never a way to look clean: secrets are
// also remembered for the principal, across sessions.
//
// A [Session] is bounded in origins and in bytes, and all sessions together are
// (bounds.go): what is forgotten is counted, and secrets are forgotten last. A
// [Correlator] finds the hook session that an MCP call belongs to; sessions that
// turn out to be one agent's are joined ([Tracker.Join]) and stay so. Sessions
// can be saved and loaded again ([Tracker.Save]).
package flow
