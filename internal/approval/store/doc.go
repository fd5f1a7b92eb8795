// Package store keeps the permanent approvals that people gave: rules that let the calls within a
// boundary pass without a question.
//
// A rule covers exactly the boundary that the person was asked about (mcpproxy.Boundary): the same
// principal, tool, effect, audience, destinations, kinds of data and asking rules. The store never
// widens a rule; two boundaries need two rules. [Store.Revoke] ends a rule.
//
// Guarantee: the file is replaced as a whole and only its owner can read it. A rule takes effect
// once it is on disk. A boundary that must be asked about every time (Boundary.Once) is refused,
// also when it is read from the file. An unusable file is an error and never an empty store.
package store
