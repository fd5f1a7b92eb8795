package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/upstream"
)

// Account is the login to one server at its authorization server. It implements
// [upstream.Credentials] for the connections to the server, and is safe for concurrent use.
type Account struct {
	spec     upstream.Spec
	settings Settings
	store    *Store
	client   *http.Client
	now      func() time.Time
	// loginTime is LoginTime; tests shorten it.
	loginTime time.Duration

	mu      sync.Mutex
	grant   *Grant    // the grant in the store; nil if there is none
	renewal *renewal  // the renewal in progress; nil if there is none
	failed  error     // the error of the last renewal, until retry
	retry   time.Time // no other renewal is tried before this time
	banned  string    // a new token that the server refused; it is not used until lifted
	lifted  time.Time
}

// New returns the account of the server of spec, whose URL must have been validated.
func New(spec upstream.Spec, settings Settings, store *Store) *Account {
	u, err := url.Parse(spec.URL)
	if err != nil {
		u = &url.URL{}
	}
	spec.Credentials = nil
	return &Account{
		spec:      spec,
		settings:  settings,
		store:     store,
		client:    newClient(spec, newReach(u, settings.Issuer)),
		now:       time.Now,
		loginTime: LoginTime,
	}
}

// LoginCommand returns what a person runs to log in to a server.
func LoginCommand(server string, scopes ...string) string {
	command := "mcpproxy upstream login " + server
	for _, s := range scopes {
		command += " --scope " + quote(s)
	}
	return command
}

// plainMarks are the characters besides letters and digits that have no meaning in a shell.
const plainMarks = "@%+=:,./_-"

// quote quotes a word for a shell.
func quote(s string) string {
	special := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') &&
			!strings.ContainsRune(plainMarks, r)
	}
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// wantsLogin returns the error for a server to which a person has to log in, with the reason.
func (a *Account) wantsLogin(reason string, scopes ...string) error {
	login := &upstream.LoginError{Command: LoginCommand(a.spec.Name, scopes...), Reason: reason, Scopes: scopes}
	e := mcpproxy.Errorf(
		mcpproxy.CodeUpstream,
		login,
		"server %q requires a login (run `%s`): %s",
		a.spec.Name,
		login.Command,
		reason,
	)
	e.Fix = "the owner of mcpproxy runs `" + login.Command + "`"
	return e
}
