// Package locate parses the addresses of machines: IP addresses in every notation ([IP]), host names in every script
// ([ASCII]), and the hosts of URLs ([Split]). It says which of them are inside: on this machine, in its own network,
// or under one of the domains that the configuration declares internal ([Domains]).
//
// Guarantee: programs parse URLs in different ways, so a URL is inside only if its host is inside in every reading:
// percent-encoded or not, with backslashes read as slashes or not. All other URLs that it contains must be inside too.
// Addresses that cannot be parsed are outside. So neither a user name nor a redirect parameter makes an outside URL an
// inside one. The time is linear in the length of the text. Nothing is looked up in the DNS.
//
// The package imports no other package of this program, so every package may import it.
package locate
