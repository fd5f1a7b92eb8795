package flow_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"mcpproxy"
)

// A secret is an example if a public text contains it with the same words around it. It is not an example if a call
// sent it before, because the public text may then repeat the call.
func TestAPublishedSecretIsNoFlow(t *testing.T) {
	manual := "Requests of the tutorial's reader carry " + gitToken + " where yours would have a token of its own kind."
	elsewhere := "Somebody wrote down what he had found in a bin yesterday: " + gitToken + " was on that slip of paper."
	const inside, outside, sends, user = "inside", "outside", "sends", "user"
	type step struct{ do, text string }
	for name, c := range map[string]struct {
		before []step
		sent   string
		flow   bool
	}{
		"an external and an internal result, with the same words around it": {[]step{{outside, manual}, {inside, manual}}, manual, false},
		"the internal result first":                                         {[]step{{inside, manual}, {outside, manual}}, manual, false},
		"only some of the words around it":                                  {[]step{{inside, manual}, {outside, manual}}, manual[8:], false},
		"the secret without words around it":                                {[]step{{inside, manual}, {outside, manual}}, gitToken, true},
		"the secret with other words around it":                             {[]step{{inside, manual}, {outside, manual}}, "what is in the box: " + gitToken, true},
		"once with its words, and once without":                             {[]step{{inside, manual}, {outside, manual}}, manual + "\n" + gitToken, true},
		"an external result with other words around it":                     {[]step{{inside, manual}, {outside, elsewhere}}, manual, true},
		"an external result with the words but without the secret":          {[]step{{inside, manual}, {outside, strings.Replace(manual, gitToken, "X", 1)}}, manual, true},
		"the user wrote it":                                                 {[]step{{inside, manual}, {user, manual}}, manual, true},
		"a call of the session sent it before it was read":                  {[]step{{inside, manual}, {sends, manual}, {outside, manual}}, manual, true},
		"a call sent it encoded before":                                     {[]step{{inside, manual}, {sends, hex.EncodeToString([]byte(gitToken))}, {outside, manual}}, manual, true},
		"a call of another session sent it before it was read":              {[]step{{inside, manual}, {sends, manual}, {"session", "two"}, {inside, manual}, {outside, manual}}, manual, true},
		"another session has read it in an internal result":                 {[]step{{inside, manual}, {"session", "two"}, {outside, manual}}, manual, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			for _, s := range c.before {
				switch s.do {
				case inside:
					a.reads("files", internal, content(s.text))
				case outside:
					a.reads("web", external, content(s.text))
				case sends:
					a.sends("pastes", external, says(s.text))
				case user:
					a.tracker.Publish(a.session, a.passage("", "", unknown, says(s.text), "prompt").Doc)
				case "session":
					a = a.in(s.text, a.principal)
				}
			}
			edges := slices.DeleteFunc(
				a.sends("slack", external, says(c.sent)),
				func(e mcpproxy.Edge) bool { return e.Type != mcpproxy.InternalToExternal },
			)
			if got := len(edges) > 0; got != c.flow {
				t.Errorf("a flow: %v, want %v: %+v", got, c.flow, edges)
			}
		})
	}
}
