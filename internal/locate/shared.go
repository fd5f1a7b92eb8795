package locate

import (
	_ "embed"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"
)

//go:embed shared.txt
var sharedList string

// shared holds the domains of shared.txt.
var shared = sync.OnceValue(func() map[string]bool {
	domains := map[string]bool{}
	for line := range strings.Lines(sharedList) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			domains[line] = true
		}
	}
	return domains
})

// IsShared reports whether a domain belongs to no single organisation: it is a public suffix, or everybody can have a
// mailbox, a page or an account there.
func IsShared(domain string) bool {
	suffix, _ := publicsuffix.PublicSuffix(domain)
	return suffix == domain || shared()[domain]
}
