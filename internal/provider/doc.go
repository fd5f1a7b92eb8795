// Package provider knows where the keys of a provider may go.
//
// A table of about 400 providers (providers.txt) has a row for each: the hosts that accept its
// keys, and the words that identify it in the names of its MCP server, of variables and of the
// detector's rules. A key of one provider is of no use to another. So a key that travels to a host
// outside its provider's row leaves its audience.
//
// Guarantee: the table alone decides; nothing is looked up. Hosts below a provider's domain that
// its customers run, such as load balancers, buckets and functions, do not count as the provider's.
package provider
