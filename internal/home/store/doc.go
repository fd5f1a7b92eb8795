// Package store keeps what is known of the user's home: what was learned, and what people
// have said about it.
//
// [Store.Learn] takes in what a place says: a folder's git settings, the user's own, or a
// tool that knows the user's account. What a place says when it is first looked at counts
// as home. What it says in addition later gets a doubt, because an agent may have written it
// meanwhile, and counts once a person confirms it. A person can also reject an entry; then
// it is not home, whoever says it again.
//
// Entries of the configuration ([Store.Configure]) stand before those of the file, and only
// the configuration changes them.
//
// Guarantee: the file is replaced as a whole and readable by its owner alone. A file that
// cannot be used is an error, never an empty home in which nothing was rejected. An answer
// of [Store.Home] never changes.
package store
