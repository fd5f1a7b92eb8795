// Package selfguard keeps agents from acting on this firewall itself.
//
// [Guard.Check] looks at one call and says what it would do: run a command that changes
// what agents may do, stop the firewall or the machine, write one of the firewall's
// files, read one that holds keys, switch off an agent's hook, or make a request to the
// REST API that only a person may make. The gate denies every such call; no rule and no
// approval lets it through.
//
// Command lines are read by package shell; this package matches the files, signals and
// requests that they name against an [Protected]. A path counts where it is the whole of an
// argument, or where the head of a patch names it: a text that mentions a file is no
// access to it.
//
// The tables testdata/denied.txt and testdata/honest.txt list calls that must be denied
// and calls that must pass.
package selfguard
