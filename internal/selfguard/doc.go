// Package selfguard keeps agents from acting on this firewall itself.
//
// [Guard.Check] looks at one call and says what it would do: run a command that changes what agents
// may do, stop the firewall or the machine, write one of the firewall's files, read one that holds
// keys, switch off an agent's hook, or make a request to the REST API that only a person may make.
// The gate denies every such call; no rule and no approval lets it pass.
//
// Package shell parses command lines. This package compares the files, signals and requests in them
// with a [Protected]. A path counts if it is a whole argument or if the header of a patch names it.
// A text that only mentions a file is not an access to it.
//
// The tables testdata/denied.txt and testdata/honest.txt list calls that must be denied and calls
// that must pass.
package selfguard
