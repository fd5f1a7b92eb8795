// Package provider says where the keys of a provider belong.
//
// A table of some 400 providers (providers.txt) names the hosts that a key of each is for and
// the words by which the provider's own MCP server, its variables and the rules of the
// detector go. A key of one provider is of no use to another, so a key that travels to a host
// outside its provider's row leaves its audience.
//
// The guarantee: an answer is read from the table and from nothing else. Hosts below a
// provider's domain that its tenants serve, such as load balancers, buckets and functions,
// are taken out. Nothing is looked up.
package provider
