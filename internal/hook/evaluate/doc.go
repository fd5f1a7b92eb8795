// Package evaluate answers the hooks of agents. It reads an event in the agent's protocol
// (package hook), lets the gate decide, and writes the answer in the form that the agent
// expects.
//
// An event before a tool is a call like any other for the gate. An event after a tool
// reports the origin of data. A prompt shows which destinations the user named. The end of
// a session ends the flow session. A call to an MCP server is announced to the correlator.
// When the call itself arrives through this proxy, it then belongs to the agent's session
// and is not counted twice. Its result is known from the proxy, so the event after the call
// adds nothing.
//
// If the question allows it (Question.Async), events that cannot change an answer are
// inspected after they are answered: results, and large calls that nothing can stop
// (gate.Preview).
//
// Guarantees: every evaluation is in the log as a hook_evaluation; if it stops a call, the
// record is on disk before the agent gets the answer. All results that were reported
// earlier in a session are recorded before its next event is decided, even those that were
// answered at once. A payload that cannot be read stops no call unless
// security.hooks.fail_open is false, and never fails the endpoint.
package evaluate
