package detect

import (
	"mcpproxy"
	"mcpproxy/internal/text"
)

// maxSecrets is the maximum number of signals for one document.
const maxSecrets = 100

// Secrets returns signals for the secrets in a document that is not a call, such as a server's definition: one for
// each value, with masked evidence, at most 100. It does not report personal data, since a definition may contain a
// contact address.
//
// If it returns an error, a part of the document was not read; it also returns what it found before.
func (d *Detector) Secrets(doc *text.Document) ([]mcpproxy.Signal, error) {
	type secret struct{ rule, value string }
	found, err := d.Find(doc)
	seen := map[secret]bool{}
	var out []mcpproxy.Signal
	for _, sensitive := range []bool{true, false} { // first the sensitive ones, then examples
		for i := range found {
			f := &found[i]
			one := secret{f.Rule.ID, f.Value}
			s := f.Signal()
			if s.Sensitive() == sensitive && !f.Rule.Personal() && !seen[one] && len(out) < maxSecrets {
				seen[one] = true
				out = append(out, s)
			}
		}
	}
	return out, err
}
