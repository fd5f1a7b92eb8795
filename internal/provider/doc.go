// Package provider knows to which hosts the keys of a provider may be sent.
//
// A table (providers.txt) has a row for each of about 400 providers: the hosts that accept its keys, and the words
// that identify it in the names of its MCP server, of environment variables and of the detector's rules. A provider
// does not need the keys of another one. So a key that is sent to a host outside its provider's row reaches somebody
// who should not have it.
//
// Guarantee: only the table decides; nothing is looked up elsewhere. A host below a provider's domain does not count
// as the provider's if its customers control it, as with load balancers, buckets and functions.
package provider
