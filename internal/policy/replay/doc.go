// Package replay applies a policy to the calls of the activity log. [Simulate] shows the
// decisions that another configuration would have made. [Suggest] derives proposals for the rules
// in force.
//
// A record keeps the facts that the gate knew when it decided: class, operation, edges, signals,
// destinations, the session's legs, contradictions, and the arguments with masked secrets. If the
// log is replayed against the configuration that made it, no decision changes. The log does not
// keep everything: it lacks masked values, and old records lack the policy's own reason. The
// results name such gaps. Nothing is guessed.
//
// The log is read as a stream, and the memory for its results is bounded.
package replay
