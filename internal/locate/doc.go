// Package locate reads the addresses of machines: IP addresses in every notation
// ([IP]), host names of every script ([ASCII]), the hosts of URLs ([Split]), and
// says which of them stand inside: on this machine, in its own network, or under
// one of the domains that configuration calls internal ([Domains]).
//
// Programs do not agree on how a URL is read. The guarantee: a URL is inside only
// if its host is inside in every reading, percent-encoded or not, with backslashes
// read as slashes or not, and if every other URL that it carries is inside too.
// What cannot be read is outside. So neither a user name nor a redirect parameter
// turns an outside URL into an inside one. Judging takes time linear in the
// length of the text. Nothing is looked up.
//
// The room knows no other, so that every room may ask it.
package locate
