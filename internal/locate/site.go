package locate

import (
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// siteEnds are the suffixes that services add to their names in domain names.
var siteEnds = []string{"", "app", "api", "apis", "hq", "cloud", "online", "mail", "dev"}

// ownHosts are the first labels of hosts that the owner of a site runs, such as api.example.com. Under other labels,
// many sites give each customer a host.
var ownHosts = map[string]bool{
	"www": true, "api": true, "apis": true, "api2": true, "app": true, "rest": true, "graph": true, "graphql": true, "public-api": true,
	"console": true, "dashboard": true, "portal": true, "admin": true, "auth": true, "login": true, "accounts": true, "upload": true,
	"my": true, "account": true, "secure": true, "shop": true, "members": true, "service": true, "id": true, "sso": true, "signin": true,
	"mein": true, "meine": true, "mijn": true, "uploads": true, "docs": true, "sandbox": true, "gateway": true,
	"events": true, "ingest": true, "intake": true, "collector": true, "v1": true, "v2": true, "v3": true, "eu": true, "us": true,
}

// leastSite is the minimum length of a site's name by which people identify it.
const leastSite = 4

// SiteNames returns the names by which people call the site of a host: "postmarkapp" and "postmark" for
// api.postmarkapp.com. It returns nothing for a site where strangers have accounts or hosts, such as github.com or
// hooks.example.com, and for addresses.
func SiteNames(host string) []string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || IsShared(site) || !isName(host) {
		return nil
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSuffix(host, site), "."), ".") {
		if label != "" && !ownHosts[label] {
			return nil
		}
	}
	owner, _, _ := strings.Cut(site, ".")
	owner = strings.ReplaceAll(owner, "-", "")
	var names []string
	for _, end := range siteEnds {
		if name, ok := strings.CutSuffix(owner, end); ok && len(name) >= leastSite {
			names = append(names, name)
		}
	}
	return names
}

// IsCalled reports whether a name is that of the owner of a host's site. The owner's name in the domain may only have
// one of siteEnds added: another, longer name belongs to another owner.
func IsCalled(host, name string) bool {
	site, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(host))
	if err != nil {
		return false
	}
	owner, _, _ := strings.Cut(site, ".")
	rest, ok := strings.CutPrefix(owner, name)
	return ok && slices.Contains(siteEnds, rest)
}
