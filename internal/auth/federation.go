package auth

import (
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/token"
)

// Federation says whom an [Authenticator] admits besides the owner and the holders of mcpproxy's
// own tokens. It must not be changed once it is used. A nil Federation admits nobody.
type Federation struct {
	Provider *oidc.Provider // checks JWTs; nil if JWTs are not accepted
	// Resource is the address of mcpproxy that [Authenticator.ServeMetadata] publishes. If it is
	// empty, the address is taken from each request.
	Resource string
	// Grants says what callers may use. The keys are those of [GroupGrant] and [CertificateGrant].
	Grants map[string]token.Scope
	// Page says how people log in to the page with an account. It is nil if they cannot.
	Page *PageLogin

	certificates bool // Grants contains a grant for a certificate
}

// Kinds of principal that a Federation admits.
const (
	kindProvider    = "oidc"
	kindCertificate = "cert"
)

// GroupGrant returns the key of a grant for the members of a provider's group.
func GroupGrant(group string) string { return kindProvider + ":" + group }

// CertificateGrant returns the key of a grant for the holder of a certificate. Name is uri:,
// email:, dns: or cn:, followed by a subject alternative name or the common name.
func CertificateGrant(name string) string { return kindCertificate + ":" + name }

// maxPrincipal is the maximum length of a principal, in bytes.
const maxPrincipal = 256

// Principal returns the principal name for a caller of a kind. The name begins with the kind and a
// slash, which no name of a token contains. ASCII letters, digits and the characters of addresses
// are kept. Every other byte is written as %XX, so that no byte can be taken for a separator in a
// key. Principal returns "" if the result is too long.
func Principal(kind, name string) string {
	const kept = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@+~|/=-"
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.WriteString(kind + "/")
	for i := range len(name) {
		if c := name[i]; strings.IndexByte(kept, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	if b.Len() > maxPrincipal || name == "" {
		return ""
	}
	return b.String()
}

// Messages of refusals.
const (
	outage         = "the identity provider cannot be asked for its keys now, so the bearer token cannot be checked: try again later"
	twoCredentials = "a bearer token of the identity provider must be sent alone, as Authorization: Bearer"
	longName       = "the name of the caller is too long"
	noGroup        = "none of the person's groups may use mcpproxy: auth.oidc.groups in the configuration lists the groups that may"
	noCertificate  = "the client certificate grants no access: auth.certificates in the configuration lists those that do"
	oldCertificate = "the client certificate has expired or is not valid yet"
	changed        = "the access rules in the configuration have changed: send the request again, or log in to the page again"
)

// UseFederation replaces the Federation; f may be nil. It ends the open requests that the previous
// Federation admitted.
func (a *Authenticator) UseFederation(f *Federation) {
	if f != nil {
		for key := range f.Grants {
			f.certificates = f.certificates || strings.HasPrefix(key, kindCertificate+":")
		}
	}
	if a.federation.Swap(f) != f {
		a.requests.endFederated()
	}
}

// Granted returns the scopes of an identity's grants that are still configured.
func (a *Authenticator) Granted(grants []string) token.Scopes {
	f := a.federation.Load()
	if f == nil {
		return nil
	}
	var out token.Scopes
	for _, key := range grants {
		if scope, ok := f.Grants[key]; ok {
			out = append(out, scope)
		}
	}
	return out
}

// takes reports whether the identity provider must check one of the credentials.
func (f *Federation) takes(given credentials) bool {
	return f != nil && f.Provider != nil && slices.ContainsFunc(given.all, oidc.LooksLikeToken)
}

// byProvider returns the identity in the JWT of a request.
func (f *Federation) byProvider(r *http.Request, given credentials) (Identity, *Refusal) {
	if len(given.all) != 1 || len(given.bearer) == 0 {
		return Identity{}, &Refusal{Status: http.StatusUnauthorized, Message: twoCredentials, counted: true}
	}
	person, err := f.Provider.Check(r.Context(), given.all[0])
	if down, ok := errors.AsType[*oidc.Outage](err); ok {
		return Identity{}, &Refusal{Status: http.StatusServiceUnavailable, Message: outage, After: down.Wait}
	}
	if err != nil {
		invalid, ok := errors.AsType[*oidc.Invalid](err)
		return Identity{}, &Refusal{
			Status:  http.StatusUnauthorized,
			Message: err.Error() + ": get a new one from the identity provider",
			counted: !ok || !invalid.Signed,
		}
	}
	var keys []string
	for _, group := range person.Groups {
		keys = append(keys, GroupGrant(group))
	}
	return f.granted(kindProvider, person.Name, keys, person.Expires, noGroup)
}

// byCertificate returns the identity in the client certificate of a request's connection. It
// returns neither an identity nor a refusal if the client sent no certificate, or if the
// configuration grants nothing to certificates.
func (f *Federation) byCertificate(r *http.Request) (Identity, *Refusal) {
	if f == nil || !f.certificates || r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return Identity{}, nil
	}
	chain := r.TLS.VerifiedChains[0]
	now, expires := time.Now(), chain[0].NotAfter
	for _, c := range chain {
		if now.Before(c.NotBefore) || !now.Before(c.NotAfter) { // a connection may outlive its certificate
			return Identity{}, &Refusal{Status: http.StatusUnauthorized, Message: oldCertificate}
		}
		if c.NotAfter.Before(expires) {
			expires = c.NotAfter
		}
	}
	var keys []string
	name := ""
	for _, one := range namesOf(chain[0]) {
		key := CertificateGrant(one)
		if _, ok := f.Grants[key]; !ok {
			continue
		}
		if keys = append(keys, key); name == "" {
			_, name, _ = strings.Cut(one, ":")
		}
	}
	return f.granted(kindCertificate, name, keys, expires, noCertificate)
}

// namesOf returns the names in a certificate in the form of [CertificateGrant], most specific
// first.
func namesOf(c *x509.Certificate) []string {
	var out []string
	for _, u := range c.URIs {
		out = append(out, "uri:"+u.String())
	}
	for _, address := range c.EmailAddresses {
		out = append(out, "email:"+address)
	}
	for _, name := range c.DNSNames {
		out = append(out, "dns:"+name)
	}
	if c.Subject.CommonName != "" {
		out = append(out, "cn:"+c.Subject.CommonName)
	}
	return out
}

// granted returns the identity of a caller with those of the keys that have a grant. If no key has one, it returns a
// refusal; none is the message of that refusal.
func (f *Federation) granted(
	kind, name string, keys []string, expires time.Time, none string,
) (Identity, *Refusal) {
	keys = slices.DeleteFunc(keys, func(key string) bool { _, ok := f.Grants[key]; return !ok })
	slices.Sort(keys)
	keys = slices.Compact(keys)
	principal := Principal(kind, name)
	switch {
	case len(keys) == 0:
		return Identity{}, &Refusal{Status: http.StatusForbidden, Message: none, Principal: principal}
	case principal == "":
		return Identity{}, &Refusal{Status: http.StatusForbidden, Message: longName}
	}
	return Identity{
		Principal: principal,
		Role:      token.Agent,
		Expires:   expires,
		Grants:    keys,
		under:     f,
	}, nil
}
