// Package store stores what mcpproxy knows about the user's home: the learned entries, and people's decisions about
// them.
//
// [Store.Learn] adds the entries from a place: the git settings of a folder, the user's own git settings, or a tool
// that knows the user's account. What mcpproxy finds when it first reads a place counts as home. An entry that
// appears there later may have been written by an agent. It is stored with this doubt, and counts once a person has
// confirmed it. A person can also reject an entry; then it is not home, even if it is found again.
//
// Entries of the configuration ([Store.Configure]) take precedence over those in the file. Only the configuration can
// change them.
//
// Guarantee: the file is replaced as a whole, and only its owner can read it. If the file cannot be used, that is an
// error; the store never continues as if nothing had been rejected. A value that [Store.Home] has returned never
// changes.
package store
