package shell

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/locate"
	"mcpproxy/internal/provider"
)

// Endpoint is whom a command addresses.
type Endpoint struct {
	// Kind is host, email, bucket, alias (of a host or store, in the user's
	// configuration), intranet (a host named by one word), remote (of git), service, or
	// listener (whoever connects).
	Kind  string
	Value string // as the program gets it; what is not known is spelled as in the command line
	// Configured says that the user's own configuration decides who it is: git's
	// "origin", a host of ~/.ssh/config, a package manager's registry.
	Configured bool
}

// buckets are the schemes of object stores.
var buckets = words("s3 gs gcs az azure b2 r2 oss abfs abfss wasb wasbs")

// endpoint is whom an argument addresses: a URL, or a host with an optional
// user, port and path. Ok is false when it addresses nobody.
func endpoint(s string) (e Endpoint, ok bool) {
	s = strings.TrimSpace(s)
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		scheme, rest = "", s
	}
	scheme = strings.ToLower(scheme)
	host := authority(rest)
	switch {
	case host == "" || scheme == "file" || strings.HasPrefix(host, ".") && !found:
		return Endpoint{}, false
	case buckets()[scheme]:
		return Endpoint{Kind: "bucket", Value: scheme + "://" + host}, true
	case (scheme == "http" || scheme == "https") && unqualified(rest, host):
		return Endpoint{Kind: "intranet", Value: host, Configured: true}, true
	}
	return Endpoint{Kind: "host", Value: host}, true
}

// unqualified reports whether a URL names a host by one word and no port, as the sites of
// an intranet are named: the resolver's configuration decides who that is. The services of
// a compose file have ports.
func unqualified(rest, host string) bool {
	rest, _, _ = strings.Cut(rest, "/")
	return !strings.ContainsAny(host, ".:$*%") && !strings.Contains(rest, ":") && !digits(host) &&
		!strings.EqualFold(host, "localhost") && !strings.HasPrefix(host, "0x")
}

// authority is the host of a URL without its scheme.
func authority(s string) string {
	if i := strings.IndexAny(s, `/?#\`); i >= 0 {
		s = s[:i]
	}
	s = s[strings.LastIndexByte(s, '@')+1:]
	if rest, ok := strings.CutPrefix(s, "["); ok {
		s, _, _ = strings.Cut(rest, "]")
	} else if strings.Count(s, ":") == 1 {
		s, _, _ = strings.Cut(s, ":")
	}
	if plain, err := url.PathUnescape(s); err == nil {
		s = plain
	}
	if strings.ContainsAny(s, " \t\n'\"|;&<>,=") {
		return ""
	}
	return strings.TrimSuffix(s, ".")
}

// remotePath is the host in the way that scp, rsync and git name places on
// other machines: host:path, user@host:path, scheme://host/path.
func remotePath(s string) (Endpoint, bool) {
	if strings.Contains(s, "://") {
		return endpoint(s)
	}
	host, _, found := strings.Cut(s, ":")
	if !found || len(host) < 2 || strings.ContainsAny(host, `/\`) {
		return Endpoint{}, false
	}
	return machineName(host)
}

// machineName is the host that ssh would call by that name.
func machineName(s string) (Endpoint, bool) {
	e, ok := endpoint(s)
	if ok && !strings.ContainsAny(e.Value, ".:$*") && e.Value != "localhost" {
		e.Kind, e.Configured = "alias", true
	}
	return e, ok
}

// email is the address of a mail.
func email(s string) (Endpoint, bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "mailto:")
	if _, after, ok := strings.Cut(s, "<"); ok {
		s, _, _ = strings.Cut(after, ">")
	}
	s, _, _ = strings.Cut(s, "?")
	name, host, found := strings.Cut(s, "@")
	return Endpoint{Kind: "email", Value: s}, found && name != "" && host != "" && !strings.ContainsAny(s, " /\n")
}

// inside reports whether a host stands in the machine or its own network. Of one
// that is only known in part, the end of its name decides.
func (e Endpoint) inside() bool {
	host := e.Value
	if privateRange().MatchString(host) {
		return true
	}
	if i := strings.LastIndexAny(host, "$*"); i >= 0 {
		dot := strings.IndexByte(host[i:], '.')
		if dot < 0 {
			return false
		}
		host = "x" + host[i+dot:]
	}
	return e.Kind == "host" && locate.Domains(nil).Host(host)
}

// privateRange is a private address whose last number is a variable: 10.0.0.$i.
var privateRange = lazyregexp.New(`^(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01])|127\.\d+)\.(?:\d+\.)?\$[A-Za-z_]\w*$`)

// metadata reports whether a host hands out the credentials of the machine.
func (e Endpoint) metadata() bool { return locate.Metadata(e.Value) }

// atHome reports whether a credential goes to the service that it is for.
func (e Endpoint) atHome(s Source) bool {
	return s.Kind != File && e.Kind == "host" && (provider.Variable(s.Name).Host(e.Value) || e.beside(s) || e.isNamedFor(s))
}

// isNamedFor reports whether a variable with a credential is called as the owner of the host is, such as
// PARCELBIRD_TOKEN at api.parcelbird.io. A longer name than that of the site's owner is another's.
func (e Endpoint) isNamedFor(s Source) bool {
	if s.Kind != Variable || provider.Variable(s.Name) != nil {
		return false
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(e.Value))
	if err != nil {
		return false
	}
	owner, _, _ := strings.Cut(site, ".")
	for w := range strings.SplitSeq(strings.ToLower(s.Name), "_") {
		if len(w) < leastOwner || unspecific()[w] || ofEverybody()[w] {
			continue
		}
		rest, ok := strings.CutPrefix(owner, w)
		if ok && slices.Contains(siteEnds, rest) {
			return true
		}
	}
	return false
}

// ofEverybody are words of the names of variables that any site could be called by.
var ofEverybody = words(
	"admin root master main deploy database data prod production stage staging test demo live private public internal service " +
		"webhook signing session oauth bearer password passwd credential credentials account cloud mail email user encryption",
)

// leastOwner is how many letters of a variable's name tell whose it is.
const leastOwner = 4

// siteEnds are what services add to their names in those of their sites.
var siteEnds = []string{"", "app", "api", "apis", "hq", "cloud", "online", "mail", "dev"}

// beside reports whether a credential and the host that it goes to are variables which nothing in
// the command line sets, and whose names belong together: what the user's settings say of a
// service, as in -H "X-Api-Key: $ACME_API_KEY" "$ACME_URL/orders".
func (e Endpoint) beside(s Source) bool {
	host, ok := e.variable()
	ours, _, _ := strings.Cut(s.Name, "_")
	theirs, _, _ := strings.Cut(host, "_")
	return ok && s.Kind == Variable && ours == theirs && len(ours) > 1 && !unspecific()[strings.ToLower(ours)]
}

// unspecific are first words of variable names that do not identify a service.
var unspecific = words("api app base auth access secret token key host url my the default remote server client user login")

// variable is the name of the variable that says who the endpoint is.
func (e Endpoint) variable() (name string, ok bool) {
	if name, ok = strings.CutPrefix(e.Value, "$"); ok {
		name = strings.Trim(name, "{}")
	}
	return name, ok && name != "" && !strings.ContainsAny(name, "$(){}.:/")
}

// foreign reports whether a credential, by its name, is for one service and goes to another.
func (e Endpoint) foreign(s Source) bool {
	p := provider.Variable(s.Name)
	return p != nil && !p.Hosted && e.Kind == "host" && !p.Host(e.Value)
}
