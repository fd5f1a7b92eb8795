package home

import (
	"slices"
	"strings"
)

// remoteSchemes are the URL schemes of remotes on other machines.
var remoteSchemes = []string{"https", "http", "ssh", "git", "git+ssh", "ssh+git"}

// FromRemote returns the repository that the URL of a git remote names. ok is false for a remote on this machine.
func FromRemote(url string) (e Entry, ok bool) {
	url = strings.TrimSpace(url)
	scheme, _, hasScheme := strings.Cut(url, "://")
	before, _, _ := strings.Cut(url, "/")
	switch {
	case hasScheme && !slices.Contains(remoteSchemes, strings.ToLower(scheme)):
		return Entry{}, false
	case !hasScheme && (!strings.Contains(before, ":") || strings.Contains(before, "::")): // a path, or a remote helper
		return Entry{}, false
	}
	e, err := Make(Repository, url)
	return e, err == nil
}

// FromEmail returns the entries for the user's own e-mail address: the address and its domain. It omits the domain if
// everybody can have a mailbox there.
func FromEmail(email string) []Entry {
	address, err := Make(Address, email)
	if err != nil {
		return nil
	}
	found := []Entry{address}
	_, host, _ := strings.Cut(address.Value, "@")
	if domain, err := Make(Domain, host); err == nil {
		found = append(found, domain)
	}
	return found
}
