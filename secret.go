package mcpproxy

import "slices"

// Secret is a secret that a call carries. A secret has an audience of its own, whatever
// server is called and whoever asks: those who issued it, and those whom it is for.
type Secret struct {
	Kind     string         `json:"kind"`               // what was seen: a rule id such as github_token
	Category string         `json:"category"`           // its family: api_token, stored_secret, …
	Evidence string         `json:"evidence,omitempty"` // the secret, masked
	Path     string         `json:"location,omitempty"` // JSON path of the string it stands in
	Home     []string       `json:"home,omitempty"`     // hosts that it is for, as far as they are known
	To       []string       `json:"to,omitempty"`       // whom the call hands it to; none when it stays on this machine
	Audience SecretAudience `json:"audience"`
}

// SecretAudience says how those whom a call hands a secret to stand to the secret.
type SecretAudience string

// The audiences of a secret. All but the last are its own.
const (
	SecretSelf     SecretAudience = "self"     // it stays on this machine, its network, or a system of the user's
	SecretProvider SecretAudience = "provider" // it goes to whoever has issued it
	SecretBound    SecretAudience = "bound"    // it goes to a host that it was found for
	SecretStore    SecretAudience = "store"    // it goes to a store of secrets
	SecretOutside  SecretAudience = "outside"  // it goes elsewhere
)

// SecretAudiences lists the audiences of a secret, the farthest last.
func SecretAudiences() []SecretAudience {
	return []SecretAudience{SecretSelf, SecretStore, SecretProvider, SecretBound, SecretOutside}
}

// SecretAudience is the farthest audience of the secrets that the call carries; "" when it
// carries none.
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
