// Package registry reads the registry of MCP servers. The registry says who publishes a server, in
// which package or at which address, and which settings the server needs.
//
// The interface is the one of registry.modelcontextprotocol.io, version 0.1 (its OpenAPI
// description of 2025-12-01): GET /v0.1/servers and GET /v0.1/servers/{name}/versions/{version}.
//
// Anybody can publish there, so the package does not trust the answers. [Client] bounds their size
// and refuses malformed ones. [Entry.Plan] turns an entry into a server that is started from one
// version of one package. It refuses an entry that could choose more than that: one with a
// reference to a secret, an option of the program that fetches packages, or another package source.
package registry
