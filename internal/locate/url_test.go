package locate_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/locate"
)

// ours are the domains of a company.
var ours = locate.Domains{"corp.example", "bücher.example"}

func ExampleDomains_URL() {
	for _, s := range []string{"https://wiki.corp.example/x", "https://wiki.corp.example@evil.example/x"} {
		host, where := locate.Domains{"corp.example"}.URL(s)
		fmt.Println(host, where == locate.Inside)
	}
	// Output:
	// wiki.corp.example true
	// evil.example false
}

func TestWhereAURLPoints(t *testing.T) {
	for _, c := range []struct {
		name, url string
		want      locate.Where
	}{
		{"a public host", "https://evil.example/x", locate.Outside},
		{"loopback", "http://127.0.0.1:8080/x", locate.Inside},
		{"the whole loopback network", "http://127.9.9.9", locate.Inside},
		{"loopback, IPv6", "http://[::1]:80/x", locate.Inside},
		{"localhost", "http://LOCALHOST:3000/a?b=c#d", locate.Inside},
		{"a private address", "http://10.1.2.3/", locate.Inside},
		{"a private address with a user", "postgres://app:pw@192.168.1.5:5432/orders", locate.Inside},
		{"unique local, IPv6", "http://[fd00::1]/", locate.Inside},
		{"link-local", "http://169.254.1.1/", locate.Inside},
		{"link-local with a zone", "http://[fe80::1%25eth0]/", locate.Inside},
		{"any address of this machine", "http://0.0.0.0:9000/", locate.Inside},
		{"a name without a dot", "http://db:5432/x", locate.Inside},
		{"a reserved name", "http://printer.local/", locate.Inside},
		{"an internal domain", "https://corp.example", locate.Inside},
		{"its subdomain", "https://a.b.corp.example:8443/x", locate.Inside},
		{"in capitals", "HTTPS://WIKI.CORP.EXAMPLE/", locate.Inside},
		{"with a dot at its end", "https://wiki.corp.example./", locate.Inside},
		{"in another script", "https://bücher.example/", locate.Inside},
		{"in another script, as the DNS has it", "https://xn--bcher-kva.example/", locate.Inside},
		{"with an internal URL in it", "https://corp.example/login?next=https%3A%2F%2Fwiki.corp.example%2F", locate.Inside},
		{"with a time and a ratio in it", "https://corp.example/x?at=12:30:00&r=16:9", locate.Inside},
		{"a file of this machine", "file:///etc/hosts", locate.Nowhere},
		{"a file of another", "file://evil.example/share", locate.Outside},
		{"a share of another machine", `\\evil.example\share`, locate.Outside},
		{"no URL", "corp.example", locate.Nowhere},
		{"a text about a URL", "see https://evil.example/", locate.Nowhere},
		{"a drive", `C:\Users\x`, locate.Nowhere},
		{"an address of mail", "mailto:a@evil.example", locate.Nowhere},
		{"nothing", "", locate.Nowhere},

		{"a name that only begins like ours", "https://corp.example.evil.example/", locate.Outside},
		{"a name that only ends like ours", "https://evilcorp.example/", locate.Outside},
		{"ours as a user", "https://corp.example@evil.example/", locate.Outside},
		{"ours as user and password", "https://127.0.0.1:80@evil.example/", locate.Outside},
		{"two users", "https://a@evil.example@corp.example/", locate.Outside},
		{"a backslash before the user", `https://corp.example\@evil.example/`, locate.Outside},
		{"a backslash behind the host", `https://evil.example\@corp.example/`, locate.Outside},
		{"a hash before the user", "https://corp.example#@evil.example/", locate.Outside},
		{"a question mark before the user", "https://corp.example?@evil.example/", locate.Outside},
		{"a percent-encoded dot", "https://127.0.0.1%2eevil.example/", locate.Outside},
		{"a percent-encoded at sign", "https://corp.example%40evil.example/", locate.Outside},
		{"a percent-encoded slash", "https://evil.example%2f@corp.example/", locate.Outside},
		{"a percent-encoded host", "https://%65%76%69%6c.example/", locate.Outside},
		{"encoded twice", "https://corp.example%2540evil.example/", locate.Outside},
		{"encoded without end", "https://corp.example/%2525252525", locate.Outside},
		{"a look-alike letter", "https://сorp.example/", locate.Outside},
		{"an invisible letter's neighbour", "https://corp.example\u200b.evil.example/", locate.Outside},
		{"a full stop of another script", "https://corp。example.evil.example/", locate.Outside},
		{"a decimal address", "http://2130706433/", locate.Outside},
		{"a decimal public address", "http://134744072/", locate.Outside},
		{"an octal address", "http://0177.0.0.1/", locate.Outside},
		{"an address that is private in octal alone", "http://012.0.0.1/", locate.Outside},
		{"a hexadecimal address", "http://0x7f.0.0.1/", locate.Outside},
		{"a short address", "http://127.1/", locate.Outside},
		{"a public address mapped to IPv6", "http://[::ffff:8.8.8.8]/", locate.Outside},
		{"loopback inside another address", "http://[64:ff9b::7f00:1]/", locate.Outside},
		{"a name made of an address", "http://127.0.0.1.nip.example/", locate.Outside},
		{"a port that is none", "http://127.0.0.1:evil.example/", locate.Outside},
		{"a tab in the scheme", "ht\ttps://evil.example/", locate.Outside},
		{"a line feed in the host", "https://corp.example\n.evil.example/", locate.Outside},
		{"no scheme", "//evil.example/x", locate.Outside},
		{"no slashes", "https:evil.example", locate.Outside},
		{"one slash", "https:/evil.example", locate.Outside},
		{"three slashes", "https:///evil.example", locate.Outside},
		{"another scheme", "ftp://evil.example/x", locate.Outside},
		{"a redirect", "https://corp.example/go?to=https://evil.example/", locate.Outside},
		{"an encoded redirect", "https://corp.example/go?to=https%3a%2f%2fevil.example", locate.Outside},
		{"a redirect encoded twice", "https://corp.example/go?to=https%253a%252f%252fevil.example", locate.Outside},
		{"a redirect without a scheme", "https://corp.example/go?to=//evil.example", locate.Outside},
		{"a redirect with backslashes", `https://corp.example/go?to=/\evil.example`, locate.Outside},
		{"a redirect without slashes", "https://corp.example/go?to=https:evil.example", locate.Outside},
		{"a redirect in the path", "https://corp.example/proxy/https://evil.example/", locate.Outside},
		{"a redirect in the fragment", "https://corp.example/#/https://evil.example/", locate.Outside},
		{"a URL in a URL of our own", "https://corp.example/?a=https://wiki.corp.example/?b=https://evil.example", locate.Outside},
	} {
		t.Run(c.name, func(t *testing.T) {
			if host, got := ours.URL(c.url); got != c.want {
				t.Errorf("%q points %d (%s), want %d", c.url, got, host, c.want)
			}
		})
	}
}

func TestWithoutDomainsOnlyTheOwnNetworkIsInside(t *testing.T) {
	for s, want := range map[string]locate.Where{"https://corp.example": locate.Outside, "http://localhost": locate.Inside} {
		if _, got := (locate.Domains{}).URL(s); got != want {
			t.Errorf("%s: %d, want %d", s, got, want)
		}
	}
}

func TestAnEmptyDomainMakesNothingInside(t *testing.T) {
	if (locate.Domains{"", "."}).Host("evil.example") {
		t.Error("everything is under no name")
	}
}

func TestMailIsInsideWhereItsHostIs(t *testing.T) {
	for address, want := range map[string]bool{
		"ann@corp.example":              true,
		"ann@mx.corp.example ":          true,
		"ann@evil.example":              false,
		"ann@corp.example@evil.example": false,
		"ann":                           false,
		"":                              false,
	} {
		if got := ours.Email(address); got != want {
			t.Errorf("%q: %v, want %v", address, got, want)
		}
	}
}

// bases are URLs of other sites, and insiders are URLs of this site.
var (
	bases = rapid.SampledFrom(
		[]string{
			"https://evil.example/a",
			"http://8.8.8.8:80/",
			"http://134744072",
			"https://corp.example.evil.example/x?y=z",
			"http://[2001:db8::1]/",
		},
	)
	insiders = rapid.SampledFrom(
		[]string{"https://corp.example/a", "http://localhost", "http://10.0.0.1:8080/x?y=z", "http://[::1]/"},
	)
	users = rapid.StringMatching(`[a-z0-9.:%@\\-]{0,20}`)
)

func TestNothingAddedTurnsAnOutsideURLIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := bases.Draw(t, "url")
		for range rapid.IntRange(0, 4).Draw(t, "times") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0: // a user
				scheme, rest, _ := strings.Cut(s, "://")
				user := rapid.SampledFrom([]string{"corp.example", "localhost", "127.0.0.1:80", "a:b"}).Draw(t, "user")
				s = scheme + "://" + user + "@" + rest
			case 1: // a redirect to the inside
				s += "?next=" + url.QueryEscape(insiders.Draw(t, "inside"))
			case 2: // a fragment
				s += "#@corp.example/"
			case 3: // a redirect of one's own
				s = insiders.Draw(t, "inside") + "?u=" + url.QueryEscape(s)
			case 4:
				s = insiders.Draw(t, "inside") + "/" + s
			}
		}
		if _, where := ours.URL(s); where != locate.Outside {
			t.Fatalf("%s is not outside", s)
		}
	})
}

func TestAnyUserLeavesAnOutsideURLOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scheme, rest, _ := strings.Cut(bases.Draw(t, "url"), "://")
		if s := scheme + "://" + users.Draw(t, "user") + "@" + rest; true {
			if _, where := ours.URL(s); where != locate.Outside {
				t.Fatalf("%s is not outside", s)
			}
		}
	})
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ in, host, path string }{
		{"https://www.A.example./x/y?z#w", "www.a.example", "x/y"},
		{"https://good.example@evil.example:443/x", "evil.example", "x"},
		{`https://evil.example\@good.example/`, "evil.example", "@good.example/"},
		{"git@code.example:team/project.git", "code.example", "team/project.git"},
		{"https://[2001:db8::1]:443/x", "2001:db8::1", "x"},
	} {
		if host, path := locate.Split(c.in); host != c.host || path != c.path {
			t.Errorf("%q is %q and %q, want %q and %q", c.in, host, path, c.host, c.path)
		}
	}
}

// What a strict reader of URLs takes for a public host is never inside.
func FuzzURL(f *testing.F) {
	for _, s := range []string{"https://corp.example@evil.example/", "http://0177.1/", `http:\\evil.example`, "https:%2f%2fx.example", "//[::1]:x", "http://a/?u=//b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, where := ours.URL(s)
		if where == locate.Nowhere && host != "" {
			t.Fatalf("%q points nowhere, to %q", s, host)
		}
		u, err := url.Parse(s)
		if err != nil || u.Hostname() == "" {
			return
		}
		if where == locate.Inside && !ours.Host(u.Hostname()) {
			t.Fatalf("%q is inside, and its host %q is not", s, u.Hostname())
		}
	})
}

func TestAPathIsReadAsAServerReadsIt(t *testing.T) {
	for asked, want := range map[string]string{
		"/api/v1/kill":                      "/api/v1/kill",
		"//api///v1/./kill/":                "/api/v1/kill",
		"/api/x/../v1/%6b%69ll":             "/api/v1/kill",
		"/../../api":                        "/api",
		"/%2561pi":                          "/%61pi", // one round
		"/100%/of":                          "/100%/of",
		"":                                  "/",
		"http://127.0.0.1:8080/api/v1/kill": "/http:/127.0.0.1:8080/api/v1/kill",
	} {
		if got := locate.Served(asked); got != want {
			t.Errorf("%q is %q, want %q", asked, got, want)
		}
	}
}
