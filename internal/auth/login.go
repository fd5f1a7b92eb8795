package auth

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/token"
)

// PageLogin says who may log in to the page with an account of the identity provider. It must not
// be changed once it is used.
type PageLogin struct {
	Client   *oidc.Client
	Name     string   // name of the company or the provider, shown to people
	URL      string   // where people open the page: scheme and host only
	Owners   []string // groups with the rights of the owner on the page
	Auditors []string // groups with the rights of an auditor on the page
	// Recheck is how often the provider is asked again about each person who has logged in; zero for never.
	Recheck time.Duration
}

// personLife is how long a login with an account is valid. It ends earlier if the provider is asked again and no
// longer knows the person, or if the person's rights have changed.
const personLife = 12 * time.Hour

const noRole = "none of the person's groups may use the page: auth.oidc.page.owners and auth.oidc.page.auditors in the " +
	"configuration list the groups that may"

// PageLogin returns how people log in to the page with an account, or nil if they cannot.
func (a *Authenticator) PageLogin() *PageLogin {
	if f := a.federation.Load(); f != nil {
		return f.Page
	}
	return nil
}

// Admit returns the identity of a person who has logged in, or a refusal. The identity is valid for
// as long as the login. Admit refuses everybody if the Authenticator now uses another [Federation]
// than the one that l belongs to.
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

// Secure reports whether people open the page over https.
func (l *PageLogin) Secure() bool { return strings.HasPrefix(l.URL, "https:") }
