package mcpproxy

import "slices"

// Secret is a secret that a call carries. Its rightful audience does not depend on the server that is called. It
// consists of the provider that issued the secret and the hosts that the secret is made for.
type Secret struct {
	Kind     string         `json:"kind"`               // the detector's rule id, such as github_token
	Category string         `json:"category"`           // the rule's family: api_token, stored_secret, …
	Evidence string         `json:"evidence,omitempty"` // the secret, masked
	Path     string         `json:"location,omitempty"` // JSON path of the string that contains it
	Home     []string       `json:"home,omitempty"`     // the known hosts that it is made for
	To       []string       `json:"to,omitempty"`       // the receivers; empty if it stays on this machine
	Audience SecretAudience `json:"audience"`
}

// SecretAudience says whether the receiver of a secret is entitled to it, and why.
type SecretAudience string

// The audiences of a secret. All except SecretOutside are rightful.
const (
	SecretSelf     SecretAudience = "self"     // it stays on this machine, on its network, or in a system of the user
	SecretProvider SecretAudience = "provider" // it goes to the provider that issued it
	SecretBound    SecretAudience = "bound"    // it goes to a host with which it was found
	SecretStore    SecretAudience = "store"    // it goes to a secret store
	SecretOutside  SecretAudience = "outside"  // it goes elsewhere
)

// SecretAudiences lists the audiences of a secret, the least trusted last.
func SecretAudiences() []SecretAudience {
	return []SecretAudience{SecretSelf, SecretStore, SecretProvider, SecretBound, SecretOutside}
}

// SecretAudience returns the least trusted audience of the secrets in the call, in the order of [SecretAudiences]. It
// returns "" if the call carries no secret.
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
