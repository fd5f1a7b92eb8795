// Package gate decides about every call of an agent to a tool. It is the only way to a tool, and the only place where
// a verdict is made.
//
// MCP clients, hooks and scripts use the same three functions. [Gate.Decide] decides about a call: it classifies the
// call, searches it for secrets, determines where its data came from, computes the risk score, and asks the policy or
// a person. [Gate.Deliver] inspects the result, stores it as an origin, and records the call. [Gate.Observe] takes a
// hook's report about a call that the agent made itself. [Gate.Forward] calls Decide, sends the call, and calls
// Deliver.
//
// The caller is part of the [Request]: whether a user can be asked, whose timeout stops meanwhile, and who does the
// work that can wait until after the answer.
//
// Guarantees: a verdict that stops a call is on disk before the caller learns of it. A result is stored before it is
// delivered, so that every later call is compared with it. What cannot be inspected is not let through. There is one
// exception: a call that [Gate.Preview] found free while the detector fails. It is recorded, and no other call is
// released in this way.
//
// Package inspect determines the facts for the verdict. Package journal masks and writes what reaches the log, an
// event or an agent's error; the gate has no other way to them.
package gate
