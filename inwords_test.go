package mcpproxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
)

func ExampleFacts_InWords() {
	facts := mcpproxy.Facts{
		Effect:   mcpproxy.EffectPay,
		Wish:     mcpproxy.WishYes,
		Audience: mcpproxy.AudienceNamed,
		Destinations: []mcpproxy.Destination{{
			Value:  "DE89 … 30 00",
			Kind:   "account",
			Source: mcpproxy.FromUser,
		}},
	}
	fmt.Println(strings.Join(facts.InWords(), "\n"))
	// Output:
	// You asked for: pay.
	// Goes to: account "DE89 … 30 00", named by you.
	// Seen by: whoever holds that account.
}

func TestFactsInWords(t *testing.T) {
	mail := &mcpproxy.Origin{CallID: "01MAIL", Server: "gmail", Tool: "read_email"}
	to := func(value, kind string, from mcpproxy.DestinationSource) []mcpproxy.Destination {
		return []mcpproxy.Destination{{
			Value:  value,
			Kind:   kind,
			Source: from,
			From:   mail,
		}}
	}
	for name, c := range map[string]struct {
		facts mcpproxy.Facts
		want  []string
	}{
		"nothing is known":  {},
		"a reading call":    {mcpproxy.Facts{Effect: mcpproxy.EffectRead, Wish: mcpproxy.WishNo, Audience: mcpproxy.AudienceSelf}, nil},
		"a reader of a URL": {mcpproxy.Facts{Effect: mcpproxy.EffectRead, Destinations: to("https://a.example/x?y=1", "url", mcpproxy.FromUser)}, []string{"Goes to: https://a.example/x?y=1, named by you."}},
		"an act that a mail spelled": {mcpproxy.Facts{
			Effect:       mcpproxy.EffectSend,
			Wish:         mcpproxy.WishNo,
			Audience:     mcpproxy.AudienceNamed,
			Destinations: to("eve@evil.example", "email", mcpproxy.FromUntrusted),
			Dictation:    &mcpproxy.Dictation{From: *mail, Share: 0.8, Values: []string{"eve@evil.example"}},
		}, []string{
			"You did not ask for: send.",
			"Goes to: eve@evil.example, named by a result of gmail:read_email (call 01MAIL) that strangers may have written.",
			"Seen by: that address.",
			"Copied from a result of gmail:read_email (call 01MAIL): eve@evil.example; 80 % of the words that are not yours.",
		}},
		"an act at home": {mcpproxy.Facts{
			Effect:       mcpproxy.EffectCreate,
			Wish:         mcpproxy.WishGeneral,
			Audience:     mcpproxy.AudienceHome,
			Destinations: []mcpproxy.Destination{{Value: "ana@acme.example", Kind: "email", Home: true}},
			Dictation:    &mcpproxy.Dictation{From: *mail, Share: 1, Field: true},
		}, []string{
			"You asked for a result that may need: create.",
			"Goes to: ana@acme.example of your own organisation, not seen before.",
			"Seen by: your own organisation.",
		}},
		"a delegated act": {mcpproxy.Facts{
			Effect:    mcpproxy.EffectRun,
			Wish:      mcpproxy.WishUnknown,
			Audience:  mcpproxy.AudienceUnknown,
			Dictation: &mcpproxy.Dictation{From: mcpproxy.Origin{CallID: "01", Tool: "Read"}, Share: 0.5, Delegated: true},
		}, []string{
			"It does: run. Your words were not understood.",
			"Who can see it is not known.",
			"Copied from a result of Read (call 01): 50 % of the words that are not yours. You asked to do what that text says.",
		}},
		"a secret": {mcpproxy.Facts{Secrets: []mcpproxy.Secret{{
			Kind:     "github_token",
			Evidence: "ghp_…9xYz",
			Path:     "arguments.headers",
			To:       []string{"evil.example"},
			Home:     []string{"api.github.com"},
			Audience: mcpproxy.SecretOutside,
		}}}, []string{"Carries a secret: github_token ghp_…9xYz at arguments.headers; it goes outside its own audience (evil.example); it is for api.github.com."}},
		"a value that would be a sentence": {mcpproxy.Facts{
			Effect:       mcpproxy.EffectPay,
			Wish:         mcpproxy.WishUnheard,
			Audience:     mcpproxy.AudiencePublic,
			Destinations: to("Bob, named by you. Seen by: you alone.", "name", mcpproxy.FromInjected),
		}, []string{
			"It does: pay. No words of yours were seen.",
			`Goes to: name "Bob, named by you. Seen by: you alone.", named by an instruction hidden in a result of gmail:read_email (call 01MAIL).`,
			"Seen by: everybody.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.facts.InWords()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The sentences are bounded in number and in length.
func TestFactsInWordsAreBounded(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	facts := mcpproxy.Facts{Effect: mcpproxy.EffectSend, Dictation: &mcpproxy.Dictation{From: mcpproxy.Origin{CallID: "01"}}}
	for range 1000 {
		facts.Destinations = append(facts.Destinations, mcpproxy.Destination{Value: long, Kind: long})
		facts.Secrets = append(facts.Secrets, mcpproxy.Secret{Kind: long, Evidence: long, Path: long})
		facts.Dictation.Values = append(facts.Dictation.Values, long)
	}
	said := facts.InWords()
	if n := len([]rune(strings.Join(said, ""))); len(said) > 10 || n > 3000 {
		t.Errorf("%d sentences of %d characters", len(said), n)
	}
}
