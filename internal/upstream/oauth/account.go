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

// Account is one server's standing with its authorization server. It is
// [upstream.Credentials] for the connections to the server, and safe for
// concurrent use.
type Account struct {
	spec     upstream.Spec
	settings Settings
	store    *Store
	client   *http.Client
	now      func() time.Time
	// loginTime is LoginTime.
	loginTime time.Duration

	mu      sync.Mutex
	grant   *Grant    // as it is in the store; nil when there is none
	renewal *renewal  // under way; nil when none is
	failed  error     // why the last renewal failed, until retry
	retry   time.Time // before then no other is tried
	banned  string    // token that the server refuses though it is new, until lifted
	lifted  time.Time
}

// New returns the account of the server of spec, which has a URL that was checked.
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

// LoginCommand is what a person runs to log in to a server.
func LoginCommand(server string, scopes ...string) string {
	command := "mcpproxy upstream login " + server
	for _, s := range scopes {
		command += " --scope " + quote(s)
	}
	return command
}

// plainMarks are what beside letters and digits means nothing to a shell.
const plainMarks = "@%+=:,./_-"

// quote makes one word of a shell's command.
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

// wantsLogin says that a person is needed, and why.
func (a *Account) wantsLogin(reason string, scopes ...string) error {
	login := &upstream.LoginError{Command: LoginCommand(a.spec.Name, scopes...), Reason: reason, Scopes: scopes}
	e := mcpproxy.Errorf(
		mcpproxy.CodeUpstream,
		login,
		"server %q wants its owner to log in (`%s`): %s",
		a.spec.Name,
		login.Command,
		reason,
	)
	e.Fix = "the owner of mcpproxy runs `" + login.Command + "`"
	return e
}
