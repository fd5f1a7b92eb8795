package policy

import (
	"slices"

	"mcpproxy"
)

// Unrememberable says why a person's answer about a call holds for that call alone, where the
// rules given ask about it: the first that decided, then those behind it. It is empty where an
// answer may be remembered.
func Unrememberable(f Facts, rules []string) string {
	if f.Effect == mcpproxy.EffectPay {
		return "payments are agreed to one by one"
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

// Secret reports whether a category of sensitive data is of what lets somebody in.
func Secret(category string) bool { return slices.Contains(secrets, category) }

// Carried are the categories of the sensitive data that a call carries, each once.
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
