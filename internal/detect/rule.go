package detect

import (
	"math"

	"mcpproxy"
)

// Rule describes one kind of secret or personal data. It is found by its own
// shape (Pattern), or by the name it is assigned to (Names and Value).
type Rule struct {
	ID       string
	Category string // the family: cloud_credentials, api_token, …
	Severity mcpproxy.Severity
	// Confidence that a match is what it looks like, 0 to 1.
	Confidence float64

	// Pattern is RE2 syntax. Its first group, or else the whole match, is the
	// value.
	Pattern string

	// Before is RE2 syntax of what a value with this pattern begins with, up to
	// where the pattern matches; its first group is where the value starts. It is
	// for values that show what they are only after many bytes of anything: in one
	// pattern, those would cost every text.
	Before string

	// Names are what the name of the value contains, in lower-case letters and
	// digits: the provider, or what it calls the value. "adafruit" is contained in
	// ADAFRUIT_IO_KEY, adafruitKey and "adafruit-key". All words of one entry,
	// separated by spaces, must be there, in this order: "datadog app".
	Names []string
	// Ends asks that the first word of a name ends where a word of the text does: "key" in
	// ACME_KEY and acmekey, and not in keyboard. Least is how many words the text has at least:
	// a bare "key" says nothing. Both are for words of every day.
	Ends  bool
	Least int
	// Providers stand for names of two words, the provider and what secrets are called:
	// "asana" for "asana key", "asana token" and the like. Rules whose values look like many
	// harmless ones (a UUID, a hash) ask for such names; the provider alone is not enough.
	Providers []string
	// NotNames are what the name must not contain: "public", "commit".
	NotNames []string
	// NotWords are words that the name must not have: "sort" in SORT_KEY and sortkey, and not
	// in ASSORTED_KEY.
	NotWords []string
	// Quoted asks that the value stands in quotes or is the whole value of a member: for values
	// of which nothing but their place says that they are no words of a sentence or of a program.
	Quoted bool
	// Value is the RE2 syntax of the whole value assigned to such a name.
	Value string

	// Entropy is the Shannon entropy, in bits per character, below which a
	// match is a placeholder; 0 for formats that cannot be mistaken.
	Entropy float64
	// Check is a checksum or another test that a value must pass; it may be nil.
	Check func(value string) bool
	// Proof is a checksum that issuers put into their values today, but not into
	// all that are in use: a value that passes is certain, and no example.
	Proof func(value string) bool
}

// Rules lists every rule, family by family.
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

// entropy is the Shannon entropy of s in bits per byte.
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

// Personal reports whether the rule is about personal data, and not about secrets.
func (r *Rule) Personal() bool { return r.Pattern == "" && len(r.Names)+len(r.Providers) == 0 }

// Hides reports whether the finding must not be shown in a log, an event or an
// error. Addresses and paths may be: who reads the log needs to know where data
// went.
func (f *Finding) Hides() bool {
	switch f.Rule.Category {
	case "sensitive_file", "contact", "network_address", "organisation_id", "vehicle":
		return false
	}
	return f.Severity != mcpproxy.SeverityLow || !f.Rule.Personal()
}
