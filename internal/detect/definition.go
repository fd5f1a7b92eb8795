package detect

import (
	"mcpproxy"
	"mcpproxy/internal/text"
)

// maxSecrets bounds the signals of one document.
const maxSecrets = 100

// Secrets finds the secrets in a document that is no call, such as what a server
// declares: each value once, the evidence masked, at most 100. Personal data is not
// reported, since a definition may name the address to write to.
//
// With an error, not all of the document was read, and what was found is returned.
func (d *Detector) Secrets(doc *text.Document) ([]mcpproxy.Signal, error) {
	type secret struct{ rule, value string }
	found, err := d.Find(doc)
	seen := map[secret]bool{}
	var out []mcpproxy.Signal
	for _, sensitive := range []bool{true, false} { // what does harm first, examples after it
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
