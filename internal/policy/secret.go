package policy

import (
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
)

// strayed returns a sentence that says that a call sends a secret where it does not belong.
func strayed(f Facts, s mcpproxy.Secret) string {
	to := destination(f)
	if len(s.To) > 0 {
		to = strings.Join(s.To, ", ")
	}
	if len(s.Home) == 0 {
		return fmt.Sprintf(
			"Sensitive data (%s) flowing to %s: no source says that this secret (%s) is for it.",
			s.Category, to, s.Kind,
		)
	}
	return fmt.Sprintf(
		"Sensitive data (%s) flowing to %s: this secret (%s) is for %s and for nobody else.",
		s.Category, to, s.Kind, strings.Join(s.Home, ", "),
	)
}

// owned are the categories of secrets that have their own audience.
var owned = []string{
	"api_token",
	"auth_token",
	"cloud_credentials",
	"private_key",
	"database_credential",
	"high_entropy",
	"stored_secret",
}

// atHome reports whether a signal is about a secret of the call and all secrets of the call go to their own audience.
// Old records do not contain the secrets.
func (f *Facts) atHome(s mcpproxy.Signal) bool {
	return len(f.Secrets) > 0 && slices.Contains(owned, s.Category) &&
		f.SecretAudience() != mcpproxy.SecretOutside
}

// known reports whether the receiver of the call already has the data that a signal is about.
func (f *Facts) known(s mcpproxy.Signal) bool {
	return slices.ContainsFunc(f.Edges, func(e mcpproxy.Edge) bool {
		return e.Own && slices.Contains(e.Sensitive, s.Category)
	})
}

// keepsSecrets reports whether the call carries secrets that all go to their own audience, and no other sensitive or
// internal data.
func (f *Facts) keepsSecrets() bool {
	if len(f.Secrets) == 0 || f.SecretAudience() == mcpproxy.SecretOutside || f.carries() {
		return false
	}
	return !slices.ContainsFunc(f.Signals, func(s mcpproxy.Signal) bool { return s.Sensitive() && !f.atHome(s) })
}
