// Package flow tracks data from the call whose result contained it to later calls that carry it.
//
// Every result is an origin. The session stores the content of a result as hashes, by which it can be recognised but
// not read (the documentation of internal/flow/match states what is guaranteed and what is not). The arguments of
// every call are compared with the stored content. Each match is an edge. It has a position in the arguments and the
// encodings that were undone (spec-027, FR-010 to FR-024; RFC-004, phase 5).
//
// A text is not a flow in three cases: external results contain it, the user said it, or many origins contain it.
// Secrets are an exception: they always count.
//
// The package also determines who chose where a call goes. It looks up addresses, names and other recipients in three
// places: the user's own words, the session's results, and the instructions to the agent that were found in results
// (destination.go, recipient.go). It keeps only hashes of these values. A value is trusted only if every letter is
// equal. A value of an instruction is recognised in any spelling. It stays distrusted whatever the session reads
// later, unless the user names it.
//
// A client cannot get rid of the recorded secrets by choosing another session, because they are also recorded for the
// principal, across sessions.
//
// The number of origins and the memory of a [Session] are bounded, and so is the memory of all sessions together
// (bounds.go). Evicted origins are counted, and secrets are evicted last. A [Correlator] finds the hook session that
// an MCP call belongs to. Sessions that turn out to belong to the same agent are joined permanently ([Tracker.Join]).
// Sessions can be saved and loaded ([Tracker.Save]).
package flow
