package shell

import (
	"net/url"
	"strings"
	"unicode"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/locate"
	"mcpproxy/internal/provider"
)

// Endpoint is a receiver or a server that a command addresses.
type Endpoint struct {
	// Kind is one of:
	//
	//	host      a host by its name or address
	//	email     an e-mail address
	//	bucket    a bucket of an object store
	//	alias     a name for a host or a store in the user's configuration
	//	intranet  a host with a one-word name
	//	remote    a remote of git
	//	service   a service
	//	listener  whoever connects to this machine
	Kind  string
	Value string // as the program gets it; unknown parts have the text of the command line
	// Path is the path of a git repository at the host, such as owner/repo, or "" if it is not known.
	Path string
	// Configured says that the user's own configuration defines the endpoint: git's "origin", a host of
	// ~/.ssh/config, a package manager's registry.
	Configured bool
}

// buckets lists the URL schemes of object stores.
var buckets = words("s3 gs gcs az azure b2 r2 oss abfs abfss wasb wasbs")

// endpoint parses an argument as an address: a URL, or a host with an optional user, port and path. ok is false if
// the argument is not an address.
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

// unqualified reports whether the host of a URL is one word without a port. Sites of an intranet have such names, and
// the resolver's configuration decides which hosts they are. The services of a compose file have ports.
func unqualified(rest, host string) bool {
	rest, _, _ = strings.Cut(rest, "/")
	return !strings.ContainsAny(host, ".:$*%") && !strings.Contains(rest, ":") && !digits(host) &&
		!strings.EqualFold(host, "localhost") && !strings.HasPrefix(host, "0x")
}

// authority returns the host of a URL without its scheme.
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

// remotePath returns the host of a path on another machine, as scp, rsync and git write it: host:path,
// user@host:path, scheme://host/path.
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

// machineName returns the host to which ssh connects when it gets this name.
func machineName(s string) (Endpoint, bool) {
	e, ok := endpoint(s)
	if ok && !strings.ContainsAny(e.Value, ".:$*") && e.Value != "localhost" {
		e.Kind, e.Configured = "alias", true
	}
	return e, ok
}

// email parses an e-mail address.
func email(s string) (Endpoint, bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "mailto:")
	if _, after, ok := strings.Cut(s, "<"); ok {
		s, _, _ = strings.Cut(after, ">")
	}
	s, _, _ = strings.Cut(s, "?")
	name, host, found := strings.Cut(s, "@")
	return Endpoint{Kind: "email", Value: s}, found && name != "" && host != "" && !strings.ContainsAny(s, " /\n")
}

// inside reports whether the host is this machine or in its network. If only a part of the name is known, the end of
// the name decides.
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

// privateRange matches a private address whose last number is a variable: 10.0.0.$i.
var privateRange = lazyregexp.New(`^(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01])|127\.\d+)\.(?:\d+\.)?\$[A-Za-z_]\w*$`)

// metadata reports whether the host is a metadata service, which returns the credentials of the machine.
func (e Endpoint) metadata() bool { return locate.Metadata(e.Value) }

// atHome reports whether a credential goes to the service that issued it.
func (e Endpoint) atHome(s Source) bool {
	if e.Kind == "service" && s.Kind == Variable {
		p := provider.Variable(s.Name)
		return p != nil && p == provider.Variable(e.Value)
	}
	return s.Kind != File && e.Kind == "host" && (provider.Variable(s.Name).Host(e.Value) || e.beside(s) || e.isNamedFor(s))
}

// isNamedFor reports whether the name of a variable, or of an entry of a secret store, contains the name of the host's
// owner, as PARCELBIRD_TOKEN and op://shop/Parcelbird/token do for api.parcelbird.io.
func (e Endpoint) isNamedFor(s Source) bool {
	name := s.Of
	if s.Kind == Variable {
		name = s.Name
		if provider.Variable(name) != nil {
			return false
		}
	}
	separates := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(name), separates) {
		if len(w) < leastOwner || unspecific()[w] || ofEverybody()[w] {
			continue
		}
		if locate.IsCalled(e.Value, w) {
			return true
		}
	}
	return false
}

// ofEverybody lists words in such names that identify no site.
var ofEverybody = words(
	"admin root master main deploy database data prod production stage staging test demo live private public internal service " +
		"webhook signing session oauth bearer password passwd credential credentials account cloud mail email user encryption",
)

// leastOwner is the minimum length of a word that can identify the host's owner in such a name.
const leastOwner = 4

// beside reports whether the credential and the host are variables with related names that the command line does not
// set. They are then the user's settings for one service, as in -H "X-Api-Key: $ACME_API_KEY" "$ACME_URL/orders".
func (e Endpoint) beside(s Source) bool {
	host, ok := e.variable()
	ours, _, _ := strings.Cut(s.Name, "_")
	theirs, _, _ := strings.Cut(host, "_")
	return ok && s.Kind == Variable && ours == theirs && len(ours) > 1 && !unspecific()[strings.ToLower(ours)]
}

// unspecific lists first words of variable names that identify no service.
var unspecific = words("api app base auth access secret token key host url my the default remote server client user login")

// variable returns the name of the variable that holds the endpoint's address.
func (e Endpoint) variable() (name string, ok bool) {
	if name, ok = strings.CutPrefix(e.Value, "$"); ok {
		name = strings.Trim(name, "{}")
	}
	return name, ok && name != "" && !strings.ContainsAny(name, "$(){}.:/")
}

// foreign reports whether a credential, by its name, belongs to a service other than the one that it goes to.
func (e Endpoint) foreign(s Source) bool {
	p := provider.Variable(s.Name)
	return p != nil && !p.Hosted && e.Kind == "host" && !p.Host(e.Value)
}
