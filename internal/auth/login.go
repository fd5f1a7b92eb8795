package auth

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/token"
)

// PageLogin says who may log in to the page with an account of the identity provider. It must not be
// changed once it is used.
type PageLogin struct {
	Client   *oidc.Client
	Name     string   // of the company or the provider, as people know it
	URL      string   // where people open the page: scheme and host alone
	Owners   []string // groups whose members do what the owner does on the page
	Auditors []string // groups whose members read what auditors read
}

// personLife is how long a login with an account counts. The provider is not asked meanwhile whether the
// person still belongs to the company.
const personLife = 12 * time.Hour

const noRole = "none of the person's groups opens the page: auth.oidc.page.owners and auth.oidc.page.auditors of the " +
	"configuration say which do"

// PageLogin returns how people log in to the page with an account; nil if they cannot.
func (a *Authenticator) PageLogin() *PageLogin {
	if f := a.federation.Load(); f != nil {
		return f.Page
	}
	return nil
}

// Admit returns the identity of a person who has logged in, for as long as the login counts, or a refusal.
// It refuses everybody if another [Federation] is used than the one that l belongs to.
func (l *PageLogin) Admit(a *Authenticator, p oidc.Person) (Identity, *Refusal) {
	f := a.federation.Load()
	if f == nil || f.Page != l {
		return Identity{}, &Refusal{Status: http.StatusUnauthorized, Message: changed}
	}
	id := Identity{
		Principal: Principal(kindProvider, p.Name),
		Expires:   time.Now().Add(personLife),
		person:    true,
		under:     f,
	}
	in := func(groups []string) bool {
		return slices.ContainsFunc(p.Groups, func(g string) bool { return slices.Contains(groups, g) })
	}
	switch {
	case id.Principal == "":
		return Identity{}, &Refusal{Status: http.StatusForbidden, Message: longName}
	case in(l.Owners):
	case in(l.Auditors):
		id.Role = token.Auditor
	default:
		return Identity{}, &Refusal{Status: http.StatusForbidden, Message: noRole, Principal: id.Principal}
	}
	return id, nil
}

// Secure reports whether the page is opened by https.
func (l *PageLogin) Secure() bool { return strings.HasPrefix(l.URL, "https:") }
