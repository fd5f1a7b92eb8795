// Package store keeps the answers that people gave for always: the rules that let calls within
// a boundary through without a question.
//
// A rule holds for exactly the boundary that was asked about (mcpproxy.Boundary): the same
// principal, tool, effect, audience, destinations, kinds of data and asking rules. A rule is
// never widened; two boundaries need two rules. [Store.Revoke] ends a rule.
//
// Guarantee: the file is replaced as a whole and readable by its owner alone. A rule counts once
// it is on disk, and one whose answer cannot be remembered (Boundary.Once) is refused, in the
// file too. A file that cannot be used is an error, never an empty store.
package store
