// Package flow follows data from the call that produced it to the calls that
// carry it on.
//
// Every result is an origin; what it said is kept for the session in a form that
// can be recognised and not be read (internal/flow/match, whose documentation
// states what is guaranteed and what is not). Every call's arguments are looked up
// there, and each match is an edge, with the place in the arguments and the
// disguises that were undone (spec-027, FR-010 to FR-024; RFC-004, phase 5).
//
// What the agent could have known from external results or the user's own words,
// and what many origins share, is no flow, unless it is a secret.
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
