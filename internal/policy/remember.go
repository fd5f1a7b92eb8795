package policy

import (
	"slices"

	"mcpproxy"
)

// Unrememberable says why a person's answer about a call can only hold for that one call. It returns "" if the answer
// may be remembered. rules are the rules that ask about the call: first the one that decided.
func Unrememberable(f Facts, rules []string) string {
	if f.Effect == mcpproxy.EffectPay {
		return "payments are approved one by one"
	}
	for _, rule := range rules {
		switch {
		case !Suppressible(rule):
			return rule + " holds for every call"
		case rule == RuleInjected:
			return "an instruction hidden in a result asks for it"
		}
	}
	if slices.ContainsFunc(f.Carried(), Secret) {
		return "it carries a secret"
	}
	return ""
}

// Secret reports whether a category of sensitive data gives access to something.
func Secret(category string) bool { return slices.Contains(secrets, category) }

// Carried returns the categories of the sensitive data that a call carries, without duplicates.
func (f *Facts) Carried() []string {
	var out []string
	for _, e := range f.Edges {
		out = append(out, e.Sensitive...)
	}
	for _, s := range f.Signals {
		if s.Sensitive() {
			out = append(out, s.Category)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
