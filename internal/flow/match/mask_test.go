package match

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mcpproxy/internal/flow/value"
)

func TestReferences(t *testing.T) {
	for name, c := range map[string]struct{ word, want string }{
		"a UUID":                                {"3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b", "3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b"},
		"a commit":                              {"9fceb02d0ae598e95dc970b74767f19372d61af8", "9fceb02d0ae598e95dc970b74767f19372d61af8"},
		"a date":                                {"2026-03-01T12:30:45Z", "2026-03-01T12:30:45Z"},
		"a path":                                {"internal/flow/match/index.go", "internal/flow/match/index.go"},
		"a Windows path":                        {`C\Users\alice\site`, `C\Users\alice\site`},
		"a host":                                {"api.github.com", "api.github.com"},
		"a URL without its query":               {"https://x.example/a/b?token=secret", "https://x.example/a/b"},
		"the segments of a path that are words": {"docs/q7Rk2vXw9LmZt4BcYd8HsN3f", "docs/"},
		"a key is not a reference":              {"q7Rk2vXw9LmZt4BcYd8HsN3f", ""},
		"a word is not a reference":             {"forecast", ""},
		"base64 with slashes in it":             {"dhENhiQ5rVjSFmGMk/dnf/CK+pJApUFVDnq/QAmhIj8", ""},
		"a word that only begins like a date":   {"2026-03-01-backup", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.word[:value.Reference(c.word)]; got != c.want {
				t.Errorf("the reference in %q is %q, want %q", c.word, got, c.want)
			}
		})
	}
}

// Formatting does not keep a text from being recognised.
func TestFormattingDoesNotHideAText(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	secret := "the merger with contoso closes on friday at forty one fifty a share and nobody must know of it"
	words := strings.Fields(secret)
	object := map[string]any{}
	for i, w := range words {
		object[string(rune('a'+i))] = w
	}
	keys := map[string]any{}
	for i := range words {
		keys[strings.Join(words[:i+1], " ")] = 1
	}
	for name, args := range map[string]any{
		"as a path":              map[string]string{"text": "/" + strings.Join(words, "/")},
		"as a host":              map[string]string{"text": strings.Join(words, ".") + ".example.com"},
		"as the path of a URL":   map[string]string{"url": "https://x.example/" + strings.Join(words, "/")},
		"as the query of a URL":  map[string]string{"url": "https://x.example/?q=" + strings.Join(words, "-")},
		"as names with colons":   map[string]string{"text": strings.Join(words, ": ")},
		"a word on each line":    map[string]string{"text": strings.Join(words, "\n")},
		"a word in each item":    map[string]any{"items": words},
		"a word in each member":  object,
		"as the name of members": keys,
		"in a channel":           map[string]string{"channel": secret},
	} {
		t.Run(name, func(t *testing.T) {
			x := New()
			x.Add(document(t, prose(r, 40)+". "+secret+". "+prose(r, 40)), options, Source{ID: 3})
			if hits := x.Find(NewQuery(document(t, args), nil, options), ""); len(hits) == 0 {
				t.Errorf("no hit in %v", args)
			}
		})
	}
}

func TestCommonTextIsNoEvidence(t *testing.T) {
	licence := "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files, " +
		"to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute"
	r := rand.New(rand.NewPCG(5, 5))
	text := prose(r, 30)
	for name, c := range map[string]struct {
		result any
		public string
		sent   any
	}{
		"a licence":                    {licence, "", licence},
		"the user's own words":         {text, text, map[string]string{"text": text}},
		"the same names of members":    {[]map[string]any{{"customer_name": "Ann", "current_balance": 1, "billing_address": "x"}}, "", map[string]any{"customer_name": "Bob", "current_balance": 2, "billing_address": "y"}},
		"a link in the result":         {"see https://wiki.example/spaces/finance/q7Rk2vXw9LmZt4BcYd8HsN3f/view", "", map[string]string{"url": "https://wiki.example/spaces/finance/q7Rk2vXw9LmZt4BcYd8HsN3f/view"}},
		"a path in the result":         {"open /home/alice/projects/site/content/index.html please", "", map[string]string{"text": "I read /home/alice/projects/site/content/index.html"}},
		"an identifier in the result":  {map[string]string{"id": "3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b"}, "", map[string]string{"text": "3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b"}},
		"a recipient from a directory": {map[string]string{"email": "johanna.baumgartner@example.com"}, "", map[string]string{"to": "johanna.baumgartner@example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := New()
			x.Add(document(t, c.result), options, Source{ID: 1})
			if c.public != "" {
				x.Publish(document(t, c.public), options)
			}
			if hits := x.Find(NewQuery(document(t, c.sent), nil, options), ""); len(hits) != 0 {
				t.Errorf("hits: %+v", hits)
			}
		})
	}
}

// Text that independent projects have in common is not indexed, because it does not identify a result.
func TestCommonTextIsNotIndexed(t *testing.T) {
	grams := func(text string) int {
		x := New()
		x.Add(document(t, text), Options{MinLength: 20, MaxBytes: 64 << 10}, Source{ID: 1})
		_, n := x.grams.Size()
		return n
	}
	licence := grams(
		`Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files, to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute`,
	)
	own := grams(
		`Brekkhus told the board on Tuesday that the merger with Oldenkamp would close a quarter early, at nine crowns a share, unless the two unions in Haugesund objected before Easter, which nobody at the table but the treasurer thought at all likely to happen`,
	)
	if own < 20 || licence > own/4 {
		t.Errorf("%d k-grams of a licence and %d of an original text are stored", licence, own)
	}
}
