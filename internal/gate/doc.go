// Package gate is the one way from an agent to a tool, and the only place where
// a verdict is made.
//
// It has three entry points, for MCP clients, hooks and scripts alike. [Gate.Decide] rules about
// a call: the call is classified, read for secrets, traced to where its data came from,
// weighed, and decided by the policy or by a person. [Gate.Deliver] looks at what the call
// brought: the result is read, remembered as an origin, and recorded. [Gate.Observe] takes
// what a hook reports about calls that agents make themselves. [Gate.Forward] is Decide
// and Deliver around the sending of a call.
//
// Who waits for a call is part of the [Request]: whether there is a user to ask, whose
// clock stops meanwhile, and who takes the work that an answer need not wait for.
//
// Guarantees: a verdict that stops a call is on disk before the caller hears of
// it. A result is remembered before it is delivered, so that no later call can
// outrun it. What cannot be inspected is not let through, with one exception: a call
// that [Gate.Preview] found free while its detector fails; it is recorded, and no
// other is released like this.
//
// Package inspect finds out what the verdict on a call is made of. Package journal masks
// and writes what reaches the log, an event or an agent's error; the gate has no other way
// to them.
package gate
