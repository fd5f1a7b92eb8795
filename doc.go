// Package mcpproxy is the vocabulary of the firewall: the types that all other packages share.
//
// A [Call] is one request of an agent to a tool, a resource or a prompt; a [Result] is its
// answer. The detectors report a [Signal] for each thing that they notice in a call. Package
// flow reports an [Edge] for each piece of data that moved from an [Origin] into the call. The
// gate decides from all of them, and its decision is a [Verdict]. Package ledger stores a
// [Record] of the call.
//
// The package imports only the standard library, so every other package may import it. The
// documentation of internal/gate describes how a call passes through the program.
package mcpproxy
