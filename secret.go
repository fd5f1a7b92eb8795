package mcpproxy

import "slices"

// Secret is a secret that a call carries. Its rightful audience does not depend on the server that
// is called: it is the provider that issued the secret, and the hosts that it was made for.
type Secret struct {
	Kind     string         `json:"kind"`               // what was seen: a rule id such as github_token
	Category string         `json:"category"`           // its family: api_token, stored_secret, …
	Evidence string         `json:"evidence,omitempty"` // the secret, masked
	Path     string         `json:"location,omitempty"` // JSON path of the string it stands in
	Home     []string       `json:"home,omitempty"`     // hosts that it is made for, as far as they are known
	To       []string       `json:"to,omitempty"`       // who receives it; empty when it stays on this machine
	Audience SecretAudience `json:"audience"`
}

// SecretAudience says how the receiver of a secret is related to the secret.
type SecretAudience string

// The audiences of a secret. All but SecretOutside are rightful.
const (
	SecretSelf     SecretAudience = "self"     // it stays on this machine, its network, or a system of the user's
	SecretProvider SecretAudience = "provider" // it goes to the provider that issued it
	SecretBound    SecretAudience = "bound"    // it goes to a host that it was found for
	SecretStore    SecretAudience = "store"    // it goes to a store of secrets
	SecretOutside  SecretAudience = "outside"  // it goes elsewhere
)

// SecretAudiences lists the audiences of a secret, the farthest last.
func SecretAudiences() []SecretAudience {
	return []SecretAudience{SecretSelf, SecretStore, SecretProvider, SecretBound, SecretOutside}
}

// SecretAudience returns the farthest audience of all secrets in the call, in the order of
// [SecretAudiences]; "" when the call carries no secret.
func (f *Facts) SecretAudience() SecretAudience {
	farthest := SecretAudience("")
	for _, s := range f.Secrets {
		all := SecretAudiences()
		if slices.Index(all, s.Audience) > slices.Index(all, farthest) {
			farthest = s.Audience
		}
	}
	return farthest
}
