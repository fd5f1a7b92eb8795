package home

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"mcpproxy/internal/locate"
)

// Kind is what an entry names.
type Kind string

// The kinds of entries.
const (
	Domain     Kind = "domain"     // acme.example, with its subdomains
	Address    Kind = "address"    // me@acme.example
	Repository Kind = "repository" // github.com/acme/app
	Owner      Kind = "owner"      // github.com/acme, with all its repositories
	Account    Kind = "account"    // a login or handle of the user
	Workspace  Kind = "workspace"  // a workspace, team or tenant of the user
)

// Kinds lists the kinds of entries in the order in which they are shown.
var Kinds = []Kind{Domain, Address, Repository, Owner, Account, Workspace}

// Source is where an entry comes from.
type Source string

// The sources of entries.
const (
	Configured Source = "configuration" // security.home, or security.classification.internal_domains
	Added      Source = "user"          // added by a person
	GitRemote  Source = "git remote"    // a remote of the working folder
	GitUser    Source = "git user"      // git's user.email
	ServerURL  Source = "server URL"    // the host of a configured internal server
	OwnAccount Source = "own account"   // the answer of a tool such as get_me
)

// State is what people have said about an entry.
type State string

// The states of entries.
const (
	Learned   State = "learned"   // nobody has said anything
	Confirmed State = "confirmed" // a person says that it is home
	Rejected  State = "rejected"  // a person says that it is not home
)

// Entry is something that is home, or that could be.
type Entry struct {
	Kind      Kind      `json:"kind" enum:"domain,address,repository,owner,account,workspace"`
	Value     string    `json:"value" doc:"In the form in which entries are compared: lower case, no scheme, no .git"`
	Source    Source    `json:"source" doc:"Where it comes from: configuration, user, git remote, git user, server URL, own account"`
	State     State     `json:"state" enum:"learned,confirmed,rejected"`
	From      string    `json:"from,omitempty" doc:"The folder, or the server and tool, that it was learned from"`
	Doubt     string    `json:"doubt,omitempty" doc:"Why it does not count as home until it is confirmed"`
	FirstSeen time.Time `json:"first_seen,omitzero"`
	By        string    `json:"by,omitempty" doc:"Who added, confirmed or rejected it"`
}

// Counts reports whether the thing that the entry names is home.
func (e Entry) Counts() bool { return e.State == Confirmed || e.State == Learned && e.Doubt == "" }

// String returns the entry in the form that [Parse] reads.
func (e Entry) String() string {
	switch e.Kind {
	case Domain, Address:
		return e.Value
	case Repository, Owner:
		if short, err := Parse(e.Value); err == nil && short.Kind == e.Kind {
			return e.Value
		}
	}
	return string(e.Kind) + ":" + e.Value
}

// Same reports whether both entries name the same thing.
func (e Entry) Same(other Entry) bool { return e.Kind == other.Kind && e.Value == other.Value }

// Errors of [Parse] and [Make]. Their errors wrap these.
var (
	ErrShared  = errors.New("strangers have mailboxes or pages there too")
	ErrInvalid = errors.New("invalid entry of home")
)

// maxValue is the maximum length of an entry's value, in bytes.
const maxValue = 400

// Parse parses an entry as people write it: acme.example, me@acme.example, github.com/acme, github.com/acme/app, or a
// kind and a value such as workspace:T0123. It sets only the kind and the value.
func Parse(s string) (Entry, error) {
	s = strings.TrimSpace(s)
	for _, kind := range Kinds {
		if value, ok := strings.CutPrefix(s, string(kind)+":"); ok {
			return Make(kind, value)
		}
	}
	if strings.HasPrefix(s, "@") {
		return Make(Account, s)
	}
	if strings.Contains(s, "/") {
		host, path := locate.Split(s)
		if elements := pathOf(path); len(elements) > 1 {
			return Make(Repository, host+"/"+strings.Join(elements, "/"))
		} else if len(elements) == 1 {
			return Make(Owner, host+"/"+elements[0])
		}
		return Make(Domain, host)
	}
	if strings.Contains(s, "@") {
		return Make(Address, s)
	}
	if !strings.Contains(s, ".") {
		return Entry{}, fmt.Errorf(
			"%w: %q is not a domain, an address or a repository; for an account or a workspace write account:%s or workspace:%s",
			ErrInvalid, s, s, s)
	}
	return Make(Domain, s)
}

// Make returns an entry of a kind. It converts the value to the form in which entries are compared, and sets only the
// kind and the value.
func Make(kind Kind, value string) (Entry, error) {
	value = strings.TrimSpace(value)
	if len(value) > maxValue {
		return Entry{}, fmt.Errorf("%w: %.40q… is longer than %d bytes", ErrInvalid, value, maxValue)
	}
	var plain string
	var err error
	switch kind {
	case Domain:
		plain, err = domainOf(value)
	case Address:
		plain, err = addressOf(value)
	case Repository:
		plain, err = placeOf(value, 2)
	case Owner:
		plain, err = placeOf(value, 1)
	case Account, Workspace:
		plain, err = nameOf(value)
	default:
		err = fmt.Errorf("%w: there is no kind %q", ErrInvalid, kind)
	}
	return Entry{Kind: kind, Value: plain}, err
}

// domainOf returns a domain in the form in which entries are compared. It refuses a domain that strangers share.
func domainOf(value string) (string, error) {
	host, ok := plainHost(value)
	_, number := locate.IP(host)
	switch {
	case !ok || number || !strings.Contains(host, "."):
		return "", fmt.Errorf("%w: %q is not a domain such as acme.example", ErrInvalid, value)
	case locate.IsShared(host):
		return "", fmt.Errorf(
			"%s cannot be home: %w; name an address such as me@%[1]s, or an owner such as github.com/acme",
			host, ErrShared)
	}
	return host, nil
}

// addressOf returns an e-mail address in the form in which entries are compared.
func addressOf(value string) (string, error) {
	local, host, ok := splitAddress(value)
	if !ok || !strings.Contains(host, ".") {
		return "", fmt.Errorf("%w: %q is not an address such as me@acme.example", ErrInvalid, value)
	}
	return local + "@" + host, nil
}

// placeOf returns a repository, or an owner of repositories, as host/path. The path must have at least the given
// number of elements.
func placeOf(value string, elements int) (string, error) {
	host, path := locate.Split(value)
	host, ok := gitHost(host)
	names := pathOf(path)
	if !ok || len(names) < elements || !isPlain(strings.Join(names, "/")) {
		return "", fmt.Errorf("%w: %q does not name a host and a path such as github.com/acme/app", ErrInvalid, value)
	}
	return host + "/" + strings.Join(names, "/"), nil
}

// minName is the minimum length of an account's name. Shorter names and short numbers often mean something else.
const minName = 3

// nameOf returns the name of an account or a workspace in the form in which entries are compared.
func nameOf(value string) (string, error) {
	name := plainName(value)
	if len(name) < minName || !isPlain(name) {
		return "", fmt.Errorf("%w: %q is not the name of an account or a workspace", ErrInvalid, value)
	}
	return name, nil
}

func plainName(value string) string {
	before := func(r rune) bool { return r == '@' || unicode.IsSpace(r) }
	return strings.ToLower(strings.TrimSpace(strings.TrimLeftFunc(value, before)))
}

// isPlain reports whether a text is valid and contains neither control characters nor invisible characters, which
// could make it look like another text.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '\ufffd' || r >= 0x200b && r <= 0x200f ||
			r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0xfeff || r >= 0xe0000
	})
}

// compare orders entries by kind, then by value.
func compare(a, b Entry) int {
	return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(a.Value, b.Value))
}

func rank(k Kind) int {
	for i, kind := range Kinds {
		if k == kind {
			return i
		}
	}
	return len(Kinds)
}
