// Package bundle reads, signs and verifies the bundles of managed machines, and merges one into the
// configuration of a user.
//
// A bundle is a document that a company signs with ed25519 and that its machines fetch: keys of the
// configuration, an allow-list of servers, and approvals that hold for everybody. It has a name, a
// version number and an expiry. [Build] reads the company's source, [Sign] signs it, and [Open]
// returns the bundle of a signed document if one of the trusted keys has signed it.
//
// A file that only root can write, /etc/mcpproxy/managed.json, makes a machine a managed one. It
// names the source, the trusted keys and what happens when the bundle expires; see [Managed].
// [Accept] decides whether a fetched document replaces the one in force and keeps the last good one
// in the data folder. [Stand] says what holds now.
//
// [Keys] lists every key of the configuration and how a bundle's value and the user's are merged.
// [Merge] never returns a value that is weaker than the bundle's.
//
// Guarantee: a document is refused and changes nothing if no trusted key has signed it, if it has
// expired, if its format is newer, or if it is older than the bundle that was applied before. A
// managed machine that has no valid bundle denies every call. The package opens no network connection.
package bundle
