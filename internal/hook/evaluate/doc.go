// Package evaluate answers agents' hooks. It reads an event in the agent's
// dialect (package hook), has the gate decide it, and words the answer as the
// agent expects it.
//
// An event before a tool is a call at the gate like any other. One after a tool
// brings an origin, the user's words say who chose a destination, and the end of a
// session ends the flow session. A call of an MCP server is announced to the
// correlator, so that the call itself, when it comes through this proxy, belongs to
// the agent's session and is not counted twice; its result is then known, and the
// hook's report of it adds nothing.
//
// What cannot change an answer is looked at after it, when the question allows that:
// results, and large calls that nothing can stop (gate.Preview).
//
// Guarantees: every evaluation is in the log as a hook_evaluation, one that stops
// a call before its agent hears of it. No event of a session is decided before the
// results that were reported earlier are remembered, even those that were answered
// at once (Question.Async). A payload that cannot be read stops nobody, unless
// security.hooks.fail_open is false, and never fails the endpoint.
package evaluate
