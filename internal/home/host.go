package home

import (
	"net/netip"
	"strings"

	"mcpproxy/internal/locate"
)

// maxHost is the maximum length of a name in the DNS, in bytes.
const maxHost = 253

// plainHost returns a host in the form in which hosts are compared: lower case, ASCII, without the final dot. ok is
// false if the text is not exactly a host.
func plainHost(host string) (plain string, ok bool) {
	if len(host) > maxHost {
		return "", false
	}
	host = strings.TrimSuffix(locate.ASCII(asciiDots(host)), ".")
	if strings.Contains(host, ":") {
		_, err := netip.ParseAddr(host)
		return host, err == nil
	}
	if strings.HasSuffix(host, ".") { // an empty label before the dot that was removed
		return "", false
	}
	letters := false
	for i := range len(host) {
		c := host[i]
		switch {
		case c == '.' && (i == 0 || host[i-1] == '.'):
			return "", false
		case c == '.' || c == '-' || c == '_' || c >= '0' && c <= '9':
		case c >= 'a' && c <= 'z':
			letters = true
		default:
			return "", false
		}
	}
	if !letters { // an IP address, in any notation
		_, err := netip.ParseAddr(host)
		return host, err == nil
	}
	return host, true
}

// asciiDots returns a host with the dots of other scripts replaced. Unless the host is ASCII, it also converts it to
// lower case.
func asciiDots(host string) string {
	for i := range len(host) {
		if host[i] >= 0x80 {
			return strings.ToLower(locate.Dots(host))
		}
	}
	return host
}

// gitHosts maps other names of hosts with repositories to their usual name.
var gitHosts = map[string]string{
	"www.github.com":       "github.com",
	"ssh.github.com":       "github.com",
	"api.github.com":       "github.com",
	"www.gitlab.com":       "gitlab.com",
	"altssh.gitlab.com":    "gitlab.com",
	"altssh.bitbucket.org": "bitbucket.org",
	"api.bitbucket.org":    "bitbucket.org",
}

// gitHost is [plainHost] for a host with repositories. It returns the host's usual name.
func gitHost(host string) (plain string, ok bool) {
	plain, ok = plainHost(host)
	if first, other := gitHosts[plain]; other {
		plain = first
	}
	return plain, ok && plain != ""
}

// splitAddress splits an e-mail address into the local part, in lower case, and the host, in the form in which hosts
// are compared. ok is false if mail programs could read the text in different ways.
func splitAddress(email string) (local, host string, ok bool) {
	email = strings.TrimSpace(email)
	if len(email) > maxValue {
		return "", "", false
	}
	local, host, ok = strings.Cut(email, "@")
	if !ok || local == "" || !isPlain(local) || strings.ContainsAny(local, " \t\",;:<>()[]\\%!/|") {
		return "", "", false
	}
	host, ok = plainHost(host)
	return strings.ToLower(local), host, ok && host != ""
}

// pathOf returns the elements of a repository's path in lower case, without ".git".
func pathOf(path string) []string {
	var names []string
	for _, name := range strings.Split(strings.ToLower(path), "/") {
		switch name {
		case "", ".":
		case "..":
			return nil
		default:
			names = append(names, name)
		}
	}
	for last := len(names) - 1; last >= 0 && strings.HasSuffix(names[last], ".git"); {
		names[last] = strings.TrimSuffix(names[last], ".git")
	}
	if last := len(names) - 1; last >= 0 && names[last] == "" {
		return names[:last]
	}
	return names
}
