package detect

import (
	"math"

	"mcpproxy"
)

// Rule describes one kind of secret or personal data. It is found by its own shape (Pattern), or by the name to which
// it is assigned (Names and Value).
type Rule struct {
	ID       string
	Category string // the family: cloud_credentials, api_token, …
	Severity mcpproxy.Severity
	// Confidence is the probability that a match is right, 0 to 1.
	Confidence float64

	// Pattern is an RE2 expression. Its first group, or else the whole match, is the value.
	Pattern string

	// Before is an RE2 expression for the beginning of a value, up to where Pattern matches; the value starts at its
	// first group. It is for values that can be recognised only after many bytes of any kind: as one pattern, they
	// would slow down every text.
	Before string

	// Names are words that the name of the value contains, in lower-case letters and digits: the provider, or the
	// provider's name for the value. "adafruit" is contained in ADAFRUIT_IO_KEY, adafruitKey and "adafruit-key". If
	// an entry has several words, separated by spaces, the name must contain all of them in this order: "datadog
	// app".
	Names []string
	// Ends requires that the first word of an entry ends where a word of the name ends: "key" matches ACME_KEY and
	// acmekey, but not keyboard. Least is the minimum number of words in the name, because "key" alone says nothing.
	// Both are for everyday words.
	Ends  bool
	Least int
	// Providers stand for names of two words, the provider and a word for secrets: "asana" for "asana key", "asana
	// token" and so on. Rules whose values look like many harmless ones (a UUID, a hash) require such names, because
	// the provider alone is not enough.
	Providers []string
	// NotNames are strings that the name must not contain: "public", "commit".
	NotNames []string
	// NotWords are words that the name must not have: "sort" excludes SORT_KEY and sortkey, but not ASSORTED_KEY.
	NotWords []string
	// Quoted requires that the value is in quotes or is the whole value of a member. It is for values that could
	// otherwise be words of a sentence or of a program.
	Quoted bool
	// Value is an RE2 expression for the whole value assigned to such a name.
	Value string

	// Entropy is the Shannon entropy, in bits per character, below which a match is a placeholder; 0 for formats that
	// cannot be confused.
	Entropy float64
	// Check is a checksum or another test that a value must pass. It may be nil.
	Check func(value string) bool
	// Proof is a checksum that issuers add to new values, while older values without it are still in use. A value
	// that passes has full confidence and is not an example.
	Proof func(value string) bool
}

// Rules returns all rules, family by family.
func Rules() []Rule {
	var rules []Rule
	for _, family := range [][]Rule{
		cloudRules, azureRules, hostingRules, forgeRules, registryRules, buildRules,
		infraRules, dataRules, modelRules, agentRules, monitorRules, keyRules,
		paymentRules, exchangeRules, billingRules, messagingRules, mailRules, socialRules,
		saasRules, saasNamedRules, serviceNamedRules,
		databaseRules, clientRules, authRules, fileRules, genericRules, keyedRules,
	} {
		rules = append(rules, family...)
	}
	return rules
}

// entropy returns the Shannon entropy of s in bits per byte.
func entropy(s string) float64 {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	h, n := 0.0, float64(len(s))
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			h -= p * math.Log2(p)
		}
	}
	return h
}

// Personal reports whether the rule is for personal data, not for secrets.
func (r *Rule) Personal() bool { return r.Pattern == "" && len(r.Names)+len(r.Providers) == 0 }

// Identifies reports whether the finding is personal data that a record at rest must not show, although Hides does not
// mask it everywhere: an address, a telephone number, a date of birth. Addresses of machines, numbers of
// organisations and paths of files name no person.
func (f *Finding) Identifies() bool {
	switch f.Rule.Category {
	case "sensitive_file", "network_address", "organisation_id":
		return false
	}
	return f.Rule.Personal() && !f.Hides() && !f.Example
}

// Hides reports whether the finding must be masked in a log, an event or an error. Addresses and paths are not
// masked, because a reader of the log needs to know where data went.
func (f *Finding) Hides() bool {
	switch f.Rule.Category {
	case "sensitive_file", "contact", "network_address", "organisation_id", "vehicle":
		return false
	}
	return f.Severity != mcpproxy.SeverityLow || !f.Rule.Personal()
}
