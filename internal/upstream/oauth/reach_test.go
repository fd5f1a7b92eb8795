package oauth_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/upstream"
	"mcpproxy/internal/upstream/oauth"
)

func TestAddressesToWhichAServerCanDirectMcpproxy(t *testing.T) {
	t.Parallel()
	const public, home, here = "93.184.216.34", "10.1.2.3", "127.0.0.1"
	for name, c := range map[string]struct {
		server, at string // the server, with the addresses of its name
		to         string
		refused    bool
	}{
		"from a public server to a public address":        {"https://wiki.example/mcp", public, "1.1.1.1", false},
		"to a private one":                                {"https://wiki.example/mcp", public, "10.0.0.1", true},
		"to another private one":                          {"https://wiki.example/mcp", public, "172.20.0.1", true},
		"to a private one of IPv6":                        {"https://wiki.example/mcp", public, "fd12::1", true},
		"to a private one inside IPv6":                    {"https://wiki.example/mcp", public, "::ffff:192.168.0.1", true},
		"to a private one through NAT64":                  {"https://wiki.example/mcp", public, "64:ff9b::c0a8:1", true},
		"to a private one through 6to4":                   {"https://wiki.example/mcp", public, "2002:0a00:0001::1", true},
		"to a shared one of a provider":                   {"https://wiki.example/mcp", public, "100.64.0.1", true},
		"to this machine":                                 {"https://wiki.example/mcp", public, here, true},
		"to this machine by IPv6":                         {"https://wiki.example/mcp", public, "::1", true},
		"to any address of this machine":                  {"https://wiki.example/mcp", public, "0.0.0.0", true},
		"to the cloud's metadata":                         {"https://wiki.example/mcp", public, "169.254.169.254", true},
		"from a private server to a private address":      {"https://wiki.corp.example/mcp", home, "10.0.0.1", false},
		"from there to this machine":                      {"https://wiki.corp.example/mcp", home, here, true},
		"from there to a public one":                      {"https://wiki.corp.example/mcp", home, public, false},
		"from there to the cloud's metadata":              {"https://wiki.corp.example/mcp", home, "fd00:ec2::254", true},
		"from a name with a private and a public address": {"https://wiki.example/mcp", home + " " + public, "10.0.0.1", true},
		"from a name without addresses":                   {"https://wiki.example/mcp", "", "10.0.0.1", true},
		"from this machine to this machine":               {"http://localhost:1/mcp", "", here, false},
		"from this machine to a private one":              {"http://127.0.0.1:1/mcp", "", "192.168.1.1", false},
		"from this machine to the local link":             {"http://127.0.0.1:1/mcp", "", "fe80::1", true},
		"from a private address to a private one":         {"https://10.0.0.1/mcp", "", "10.0.0.2", false},
		"from a public address to a private one":          {"https://93.184.216.34/mcp", "", "10.0.0.2", true},
		"to a service of a cloud in a public range":       {"https://wiki.example/mcp", public, "168.63.129.16", true},
		"to everybody at once":                            {"https://wiki.example/mcp", public, "239.0.0.1", true},
		"to a reserved range":                             {"https://wiki.example/mcp", public, "250.0.0.1", true},
		"to a service of a cloud, inside an IPv6 address": {"https://wiki.corp.example/mcp", home, "::ffff:169.254.169.254", true},
		"to a service of a cloud, with a zone of its own": {"https://wiki.corp.example/mcp", home, "fe80::1%eth0", true},
		"to a public address of IPv6":                     {"https://wiki.example/mcp", public, "2606:4700::1111", false},
	} {
		var at []netip.Addr
		for _, a := range strings.Fields(c.at) {
			at = append(at, netip.MustParseAddr(a))
		}
		to := netip.MustParseAddr(c.to)
		if err := oauth.Vet(c.server, at, "", "https://auth.example/token", to); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
		if err := oauth.Vet(c.server, at, "https://auth.example", "https://auth.example/token", to); err != nil {
			t.Errorf("%s, where the owner named the host: %v", name, err)
		}
		if err := oauth.Vet(c.server, at, "", c.server, to); err != nil {
			t.Errorf("%s, at the server itself: %v", name, err)
		}
	}
}

func TestATokenIsBoundToItsResource(t *testing.T) {
	t.Parallel()
	const server = "https://wiki.example/a/mcp"
	for resource, want := range map[string]bool{
		server:                            true,
		server + "/":                      true,
		"https://wiki.example/a":          true,
		"https://wiki.example":            true,
		"https://wiki.example/":           true,
		"https://WIKI.example/a/mcp":      true,
		"https://wiki.example/a/mc":       false,
		"https://wiki.example/b":          false,
		"https://wiki.example/a/mcp/x":    false,
		"http://wiki.example/a/mcp":       false,
		"https://wiki.example:444/a/mcp":  false,
		"https://wiki.example.evil/a/mcp": false,
		"https://evil.example/a/mcp":      false,
		"https://u@wiki.example/a/mcp":    false,
		server + "?x=1":                   false,
		server + "#x":                     false,
		"":                                false,
		"/a/mcp":                          false,
		"%zz":                             false,
	} {
		if got := oauth.Covers(resource, server); got != want {
			t.Errorf("a token for %q is for %s: %t", resource, server, got)
		}
	}
}

func TestTextsOfServersAreMadeSafeToPrint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9+/=]{8,20}`).Draw(rt, "secret")
		words := rapid.String().Draw(rt, "before") + secret + rapid.String().Draw(rt, "after")
		got := oauth.Clean(words, secret, "")
		if strings.Contains(got, secret) || strings.ContainsAny(got, "\x1b\n\r\u202e\u200b") || len([]rune(got)) > 301 {
			rt.Errorf("%q became %q", words, got)
		}
	})
}

func FuzzAServersChallenge(f *testing.F) {
	for _, s := range []string{`Bearer error="insufficient_scope", scope="a b"`, `Basic x, Bearer scope=`, `Bearer error="insufficient_scope", scope="'$(x)'"`} {
		f.Add(s)
	}
	a := oauth.New(
		upstream.Spec{Name: "wiki", URL: "https://wiki.example/mcp"},
		oauth.Settings{},
		oauth.OpenStore(f.TempDir()+"/g", noRing{}),
	)
	f.Fuzz(func(t *testing.T, header string) {
		err := a.Lacks(http.Header{"Www-Authenticate": {header}})
		if err != nil && strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%q", err)
		}
	})
}
