// Package replay asks a policy about the calls of the activity log again: what
// would have become of them under another configuration ([Simulate]), and what the
// log says about the rules in force ([Suggest]).
//
// A record keeps what the gate knew when it decided: class, operation, edges,
// signals, destinations, the session's legs, contradictions, and the arguments with
// secrets masked. Replaying the log against the very configuration that made it
// changes nothing. What the log does not keep is said and never guessed at: values
// that are masked, and calls that were written down before a policy's own word was
// kept.
//
// The log is read as a stream, and what is kept of it is bounded.
package replay
