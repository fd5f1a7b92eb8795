// Package home determines what belongs to the user's own organisation: domains, the user's addresses, the repositories
// that the user works on, and the user's accounts and workspaces. What belongs to it is called home.
//
// A [Home] answers whether a host, an address, a repository or an account is home. It is made from entries ([New]) and
// never changes. An [Entry] says what it names, where it was learned, and whether a person has confirmed or rejected
// it. The most specific entry decides: if an owner of repositories is home and one of the owner's repositories is
// rejected, that repository is not home.
//
// Guarantees:
//   - A host, address, repository or account without an entry is not home, except loopback and private hosts as
//     defined in package locate.
//   - A public suffix such as co.uk, a provider of free mailboxes, and a site on which everybody can have an account
//     are never home as a whole ([ErrShared]).
//   - An entry with a doubt is not home until a person confirms it.
//   - An answer takes less than a microsecond, and a Home is safe for concurrent use.
//
// [FromAnswer] reads the answer of a tool such as get_me about the user's own account. Package home/gitconfig reads
// the settings of git, and package home/store stores the entries.
package home
