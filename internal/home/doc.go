// Package home knows the user's own organisation: its domains, the user's addresses, the
// repositories that the user works on, and the user's accounts and workspaces.
//
// A [Home] answers whether a host, an address, a repository or an account belongs to it. It
// is made of entries ([New]) and never changes. An [Entry] says what it names, where it was
// learned, and whether a person has confirmed or rejected it. The most specific entry
// decides: a rejected repository of an owner that is home is not home.
//
// Guarantees:
//   - A host, address, repository or account that no entry names is not home. Loopback and
//     private hosts are, as in package locate.
//   - A public suffix such as co.uk, a provider of free mailboxes, and a site on which
//     everybody can have an account never are home as a whole ([ErrShared]).
//   - An entry with a doubt is not home before a person has confirmed it.
//   - An answer takes less than a microsecond, and a Home may be used concurrently.
//
// [FromAnswer] reads what a tool such as get_me says of the user's own account. Package
// home/gitconfig reads the settings of git; package home/store keeps the entries.
package home
