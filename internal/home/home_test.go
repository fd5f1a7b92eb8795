package home_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/home"
)

// of returns the home of entries in the form in which people write them. One that begins
// with "!" is rejected, one that begins with "?" has a doubt.
func of(t testing.TB, entries ...string) *home.Home {
	t.Helper()
	var all []home.Entry
	for _, s := range entries {
		e, err := home.Parse(strings.TrimLeft(s, "!?"))
		if err != nil {
			t.Fatal(err)
		}
		switch e.State = home.Learned; s[0] {
		case '!':
			e.State = home.Rejected
		case '?':
			e.Doubt = "an agent may have written it"
		}
		all = append(all, e)
	}
	return home.New(all)
}

// question is what a test asks a home.
type question struct {
	asked string // host, address, repository (host, owner, repo), account or workspace
	want  bool
}

func answer(t *testing.T, h *home.Home, asked string) bool {
	t.Helper()
	words := strings.Split(asked+"   ", " ")
	switch words[0] {
	case "host":
		return h.Host(words[1])
	case "address":
		return h.Address(strings.TrimSpace(strings.TrimPrefix(asked, "address ")))
	case "repository":
		return h.Repository(strings.TrimPrefix(words[1], "-"), words[2], words[3])
	case "account", "workspace":
		return h.Account(home.Kind(words[0]), words[1])
	case "name":
		return h.Account("", words[1])
	}
	t.Fatalf("%q is no question", asked)
	return false
}

func TestHomeAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		entries []string
		asked   []question
	}{
		"a domain has its subdomains and their mailboxes, and no look-alike": {
			[]string{"acme.example"},
			[]question{
				{"host acme.example", true},
				{"host ACME.Example.", true},
				{"host wiki.eu.acme.example", true},
				{"host notacme.example", false},
				{"host acme.example.evil.test.com", false},
				{"host acme.example:443", false},
				{"host example", true}, // a name without a dot
				{"address ana@acme.example", true},
				{"address ana@mail.acme.example", true},
				{"address ana@acme.example.com", false},
				{"address ana@evil.com,bob@acme.example", false},
				{"address \"ana@evil.com\" <bob@acme.example>", false},
				{"address ana%evil.com@acme.example", false},
				{"address @acme.example", false},
				{"address acme.example", false},
			},
		},
		"loopback and private hosts are home without an entry": {
			nil,
			[]question{
				{"host localhost", true},
				{"host 127.0.0.1", true},
				{"host 10.1.2.3", true},
				{"host ::1", true},
				{"host db", true},
				{"host 8.8.8.8", false},
				{"host 2130706433", false},
				{"host 0x7f.1", false},
				{"host acme.com", false},
				{"host ", false},
			},
		},
		"an international domain is one name in two spellings": {
			[]string{"bücher.example"},
			[]question{
				{"host xn--bcher-kva.example", true},
				{"host BÜCHER.example", true},
				{"host bücher。example", true},
				{"host bucher.example", false},
			},
		},
		"an address of a free provider is home alone": {
			[]string{"me@gmail.com"},
			[]question{
				{"address Me@Gmail.com", true},
				{"address you@gmail.com", false},
				{"host gmail.com", false},
			},
		},
		"a repository is home, not its owner": {
			[]string{"https://github.com/Acme/App.git"},
			[]question{
				{"repository github.com acme app", true},
				{"repository GitHub.com ACME App.git", true},
				{"repository ssh.github.com acme app", true},
				{"repository - acme app", true},
				{"repository github.com acme other", false},
				{"repository github.com acme", false},
				{"repository gitlab.com acme app", false},
				{"repository github.com acme/app x", false},
				{"repository - acme/app x", false},
				{"repository - app", false},
				{"host github.com", false},
			},
		},
		"an owner has its repositories and groups": {
			[]string{"github.com/acme", "owner:gitlab.example/group/sub"},
			[]question{
				{"repository github.com acme app", true},
				{"repository github.com acme", true},
				{"repository - acme anything", true},
				{"repository github.com acme-inc app", false},
				{"repository github.com other acme", false},
				{"repository gitlab.example group/sub/deep project", true},
				{"repository gitlab.example group project", false},
				{"repository github.com acme/../evil app", false},
				{"repository github.com evil ../acme", false},
			},
		},
		"a server of a home domain has home repositories; an alias of ssh does not": {
			[]string{"acme.example"},
			[]question{
				{"repository git.acme.example team app", true},
				{"repository 10.0.0.5 team app", true},
				{"repository work-alias team app", false},
				{"repository - team app", false},
			},
		},
		"the most specific entry decides": {
			[]string{
				"acme.example", "!forum.acme.example", "admin.forum.acme.example", "!intern@acme.example",
				"github.com/acme", "!github.com/acme/public-demo",
			},
			[]question{
				{"host acme.example", true},
				{"host forum.acme.example", false},
				{"host x.forum.acme.example", false},
				{"host admin.forum.acme.example", true},
				{"address intern@acme.example", false},
				{"address boss@acme.example", true},
				{"repository github.com acme public-demo", false},
				{"repository - acme public-demo", false},
				{"repository github.com acme app", true},
			},
		},
		"an entry with a doubt is not home": {
			[]string{"?acme.example", "?github.com/evil", "?account:mallory"},
			[]question{
				{"host acme.example", false},
				{"repository github.com evil app", false},
				{"name mallory", false},
			},
		},
		"accounts and workspaces are told apart": {
			[]string{"@jdoe", "workspace:T0123"},
			[]question{
				{"account JDoe", true},
				{"account @jdoe", true},
				{"name jdoe", true},
				{"workspace jdoe", false},
				{"workspace t0123", true},
				{"account T0123", false},
				{"name T0123", true},
				{"name other", false},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := of(t, c.entries...)
			for _, q := range c.asked {
				if got := answer(t, h, q.asked); got != q.want {
					t.Errorf("%s: %v, want %v", q.asked, got, q.want)
				}
			}
		})
	}
}

func TestNoHomeKnowsPrivateHostsOnly(t *testing.T) {
	var h *home.Home
	if !h.Host("localhost") || h.Host("acme.example") || h.Address("me@acme.example") ||
		h.Repository("github.com", "acme", "app") || h.Account("", "jdoe") || h.Entries() != nil {
		t.Error("a nil home knows more than loopback and private hosts")
	}
}

func TestParseReadsWhatPeopleWrite(t *testing.T) {
	for in, want := range map[string]string{
		"acme.example":                        "domain acme.example",
		" Acme.Example. ":                     "domain acme.example",
		"https://www.acme.example/":           "domain www.acme.example",
		"me@acme.example":                     "address me@acme.example",
		"Me@Gmail.com":                        "address me@gmail.com",
		"github.com/acme":                     "owner github.com/acme",
		"https://github.com/acme/":            "owner github.com/acme",
		"github.com/acme/app":                 "repository github.com/acme/app",
		"git@github.com:acme/app.git":         "repository github.com/acme/app",
		"ssh://git@gitlab.com:22/a/b/c.git":   "repository gitlab.com/a/b/c",
		"owner:gitlab.com/group/sub":          "owner gitlab.com/group/sub",
		"@jdoe":                               "account jdoe",
		"account:jdoe":                        "account jdoe",
		"workspace:T0123":                     "workspace t0123",
		"workspace:Acme Inc":                  "workspace acme inc",
		"domain:acme.example":                 "domain acme.example",
		"repository:https://host.example/x/":  "",
		"jdoe":                                "",
		"":                                    "",
		"*.acme.example":                      "",
		"acme.example:8080":                   "",
		"10.0.0.1":                            "",
		"me@you@acme.example":                 "",
		"account:me":                          "",
		"account:jd\u200boe":                  "",
		"https://user@evil.example/acme/app":  "repository evil.example/acme/app",
		strings.Repeat("a", 500) + ".example": "",
	} {
		e, err := home.Parse(in)
		got := ""
		if err == nil {
			got = string(e.Kind) + " " + e.Value
		}
		if got != want {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
		if err == nil {
			if again, err := home.Parse(e.String()); err != nil || again != e {
				t.Errorf("%q is written as %q, which is read as %v, %v", in, e, again, err)
			}
		}
	}
}

func TestWhatStrangersShareIsNeverADomainOfHome(t *testing.T) {
	for _, s := range []string{"co.uk", "com", "github.io", "gmail.com", "GMX.de", "outlook.com", "web.de", "github.com",
		"docs.google.com", "users.noreply.github.com"} {
		if _, err := home.Make(home.Domain, s); !errors.Is(err, home.ErrShared) && s != "com" || err == nil {
			t.Errorf("%q may be a domain of home: %v", s, err)
		}
	}
	for _, s := range []string{"acme.co.uk", "acme.github.io", "acme.slack.com", "mygmail.com"} {
		if _, err := home.Make(home.Domain, s); err != nil {
			t.Error(err)
		}
	}
}

func TestEntriesAreListedByKindAndValue(t *testing.T) {
	h := of(t, "workspace:T0123", "b.example", "?a.example", "me@a.example", "b.example")
	var got []string
	for _, e := range h.Entries() {
		got = append(got, e.String())
	}
	if diff := cmp.Diff([]string{"a.example", "b.example", "me@a.example", "workspace:t0123"}, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkHome(b *testing.B) {
	h := of(b, "acme.example", "me@acme.example", "github.com/acme", "github.com/acme/app", "@jdoe")
	for name, ask := range map[string]func() bool{
		"Host":       func() bool { return h.Host("wiki.intranet.eu.acme.example") },
		"Stranger":   func() bool { return h.Host("a.b.c.d.evil.example.com") },
		"Address":    func() bool { return h.Address("ana.maria@mail.acme.example") },
		"Repository": func() bool { return h.Repository("github.com", "Acme", "other") },
		"Account":    func() bool { return h.Account("", "JDoe") },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ask()
			}
		})
	}
}
