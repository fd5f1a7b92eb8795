package egress_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/egress"
)

func parsed(t *testing.T, hosts ...string) *egress.List {
	t.Helper()
	l, err := egress.ParseList(hosts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestWhatAListAllows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		entry, target string
		allowed       bool
	}{
		"the host":                               {"api.github.com", "api.github.com:443", true},
		"the host without encryption":            {"api.github.com", "api.github.com:80", true},
		"another port of the host":               {"api.github.com", "api.github.com:22", false},
		"the port that is named":                 {"api.github.com:22", "api.github.com:22", true},
		"a usual port when another is named":     {"api.github.com:22", "api.github.com:443", false},
		"every port":                             {"api.github.com:*", "api.github.com:1", true},
		"upper case":                             {"API.GitHub.com", "Api.GITHUB.Com:443", true},
		"a final dot":                            {"api.github.com", "api.github.com.:443", true},
		"a final dot in the list":                {"api.github.com.", "api.github.com:443", true},
		"two final dots":                         {"api.github.com", "api.github.com..:443", false},
		"another host":                           {"api.github.com", "github.com:443", false},
		"a host that ends alike":                 {"github.com", "evilgithub.com:443", false},
		"a host that begins alike":               {"github.com", "github.com.evil.example:443", false},
		"a host below":                           {"github.com", "api.github.com:443", false},
		"a host below a pattern":                 {"*.github.com", "api.github.com:443", true},
		"a host far below a pattern":             {"*.github.com", "a.b.github.com:443", true},
		"a pattern's own name":                   {"*.github.com", "github.com:443", false},
		"a pattern with a port":                  {"*.github.com:22", "api.github.com:22", true},
		"what looks like a pattern":              {"*.github.com", "evilgithub.com:443", false},
		"letters of another script":              {"bücher.example", "xn--bcher-kva.example:443", true},
		"their spelling in the list":             {"xn--bcher-kva.example", "BÜCHER.example:443", true},
		"letters that look alike":                {"apple.com", "аpple.com:443", false},
		"wide letters and dots are the same":     {"github.com", "ｇithub。com:443", true},
		"an address":                             {"192.0.2.7", "192.0.2.7:443", true},
		"another address":                        {"192.0.2.7", "192.0.2.8:443", false},
		"an address inside IPv6":                 {"192.0.2.7", "[::ffff:192.0.2.7]:443", true},
		"an address of IPv6":                     {"2001:db8::1", "[2001:db8:0::1]:443", true},
		"an address of IPv6 in brackets":         {"[2001:db8::1]:8443", "[2001:db8::1]:8443", true},
		"an address in a range":                  {"10.0.0.0/8", "10.1.2.3:443", true},
		"an address beside a range":              {"10.0.0.0/8", "11.1.2.3:443", false},
		"a name for an address":                  {"10.0.0.0/8", "ten.example:443", false},
		"a name with an underscore":              {"my_bucket.s3.amazonaws.com", "my_bucket.s3.amazonaws.com:443", true},
		"localhost":                              {"localhost:5432", "localhost:5432", true},
		"an address instead of its name":         {"localhost:5432", "127.0.0.1:5432", false},
		"a name that is a suffix of a pattern's": {"*.api.github.com", "github.com:443", false},
	} {
		target, err := egress.ParseTarget(c.target, 0)
		got := err == nil && parsed(t, c.entry).Allows(target)
		if got != c.allowed {
			t.Errorf("%s: %s opens %s: %t (%v)", name, c.entry, c.target, got, err)
		}
	}
}

func TestInvalidTargetsAreRefused(t *testing.T) {
	t.Parallel()
	for _, target := range []string{
		"", ":", ":443", "host", "host:", "host:0", "host:65536", "host:-1", "host:+443", "host:0443", "host:443x",
		"a@host:443", "user:pass@host:443", "host:443/path", "host:443?x", "host:443#x", "http://host:443", "/host:443",
		"ho st:443", "host\x00:443", "host\r\n:443", "[::1]", "[::1%eth0]:443", "[fe80::1%25lo]:443", "[host]:443x",
		"::1:443", "127.1:443", "2130706433:443", "0x7f000001:443", "0177.0.0.1:443", "127.0.0.1.:443", "1.2.3.4.5:443",
		"host%2eexample:443", "ho*st:443", "*.example.com:443", ".example.com:443", "a..b:443", "host,other:443", "a:b:443",
		strings.Repeat("a", 64) + ".example:443", strings.Repeat("a.", 200) + "example:443",
	} {
		if got, err := egress.ParseTarget(target, 0); err == nil {
			t.Errorf("%q is taken for %s", target, got)
		}
	}
}

func TestInvalidEntriesAreRefused(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"https://api.github.com": "name the host only",
		"api.github.com/v3":      "name the host only",
		"*":                      "observe",
		"*.com":                  "anybody can register",
		"*.co.uk":                "anybody can register",
		"*.github.io":            "anybody can register",
		"*.10.0.0.1":             "a range",
		"*.*.example.com":        "not a host name",
		"a.*.example.com":        "not a host name",
		"*example.com":           "not a host name",
		"host:0":                 "port",
		"host:http":              "port",
		"10.0.0.1/8":             "10.0.0.0/8",
		"10.0.0.0/33":            "range",
		"a b":                    "not a host name",
		"":                       "not a host name",
		"me@host":                "not a host name",
		"127.1":                  "ends in a number",
		"fe80::1%eth0":           "zone",
		"2001:db8::1:443:":       "brackets",
	} {
		if _, err := egress.ParseList([]string{entry}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, wanted %q", entry, err, want)
		}
	}
}

func TestWhichListCoversAnother(t *testing.T) {
	t.Parallel()
	all := egress.Observing()
	for name, c := range map[string]struct {
		wide, narrow *egress.List
		covered      bool
	}{
		"the same":                             {parsed(t, "a.example"), parsed(t, "A.example."), true},
		"fewer":                                {parsed(t, "a.example", "b.example"), parsed(t, "b.example"), true},
		"more":                                 {parsed(t, "a.example"), parsed(t, "a.example", "b.example"), false},
		"nothing":                              {parsed(t, "a.example"), parsed(t), true},
		"something of nothing":                 {parsed(t), parsed(t, "a.example"), false},
		"a host below a pattern":               {parsed(t, "*.a.example"), parsed(t, "b.a.example"), true},
		"a pattern below a pattern":            {parsed(t, "*.a.example"), parsed(t, "*.b.a.example"), true},
		"the same pattern":                     {parsed(t, "*.a.example"), parsed(t, "*.a.example"), true},
		"a pattern's own name":                 {parsed(t, "*.a.example"), parsed(t, "a.example"), false},
		"a pattern of a host":                  {parsed(t, "a.example"), parsed(t, "*.a.example"), false},
		"one of the usual ports":               {parsed(t, "a.example"), parsed(t, "a.example:443"), true},
		"the usual ports of one":               {parsed(t, "a.example:443"), parsed(t, "a.example"), false},
		"another port":                         {parsed(t, "a.example"), parsed(t, "a.example:22"), false},
		"a port of all":                        {parsed(t, "a.example:*"), parsed(t, "a.example:22"), true},
		"all ports of the usual":               {parsed(t, "a.example"), parsed(t, "a.example:*"), false},
		"an address of a range":                {parsed(t, "10.0.0.0/8"), parsed(t, "10.1.1.1"), true},
		"a range of an address":                {parsed(t, "10.1.1.1"), parsed(t, "10.0.0.0/8"), false},
		"a wider range":                        {parsed(t, "10.1.0.0/16"), parsed(t, "10.0.0.0/8"), false},
		"a list of everything":                 {all, parsed(t, "a.example"), true},
		"everything of everything":             {all, all, true},
		"everything of a list":                 {parsed(t, "a.example"), all, false},
		"a name of a range, which has no name": {parsed(t, "10.0.0.0/8"), parsed(t, "a.example"), false},
	} {
		if got := c.wide.Covers(c.narrow); got != c.covered {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	for _, s := range []string{"api.github.com:443", "[::1]:80", "BÜCHER.example.:1", "127.1:443", "a@b:443", "１２７.0.0.1:443"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		target, err := egress.ParseTarget(s, 0)
		if err != nil {
			return
		}
		if strings.ContainsAny(target.Host, "@/\\?#% \t\r\n[]*") || target.Port == 0 || strings.ToLower(target.Host) != target.Host {
			t.Errorf("%q is %+v", s, target)
		}
		again, err := egress.ParseTarget(target.String(), 0)
		if err != nil || again != target {
			t.Errorf("%q is %v, which is %v, %v", s, target, again, err)
		}
	})
}
