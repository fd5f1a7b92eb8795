// Package mcpproxy is the vocabulary of the firewall: the words that every
// room of the house shares.
//
// A [Call] is one request of an agent to a tool, a resource or a prompt; a
// [Result] is its answer. Rooms look at a call and report [Signal]s; the flow
// room reports [Edge]s from an [Origin] to the call. The gate joins them into
// one [Verdict], and the ledger keeps a [Record] of it.
//
// The package imports the standard library only, so that every other package
// may import it. See the package documentation of internal/gate for the way a
// call takes through the house.
package mcpproxy
