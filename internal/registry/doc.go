// Package registry reads the registry of MCP servers: who publishes which server, in which package
// or at which address, and what it has to be given.
//
// The interface is the one of registry.modelcontextprotocol.io, version 0.1 (its OpenAPI
// description of 2025-12-01): GET /v0.1/servers and GET /v0.1/servers/{name}/versions/{version}.
//
// Anybody can publish there, so all that a registry says is a stranger's word. [Client] bounds what
// it reads and refuses what it cannot read. [Entry.Plan] makes of an entry a server that is
// started from one version of one package, and refuses an entry that could choose more than that: a
// reference to a secret, an option of the program that fetches packages, another source of packages.
package registry
