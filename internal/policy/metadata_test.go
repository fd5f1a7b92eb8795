package policy_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

func TestRequestsToAMetadataServiceAreAsked(t *testing.T) {
	fetch := func(f *policy.Facts) {
		f.Call.Server, f.Call.Tool = "fetch", "fetch"
		f.Effect = mcpproxy.EffectRead
	}
	grep := func(f *policy.Facts) {
		f.Call.Server, f.Call.Tool = "", "Grep"
		class(mcpproxy.Internal, false)(f)
	}
	note := func(f *policy.Facts) {
		f.Call.Server, f.Call.Tool = "notes", "create_note"
		f.Effect = mcpproxy.EffectCreate
		class(mcpproxy.Internal, false)(f)
	}
	webFetch := func(f *policy.Facts) {
		f.Call.Server, f.Call.Tool = "", "WebFetch"
		class(mcpproxy.External, true)(f)
	}
	for _, c := range []struct {
		name string
		call func(*policy.Facts)
		text string
		asks bool
	}{
		{"a server that fetches", fetch, "http://169.254.169.254/latest/meta-data/iam/", true},
		{"an agent's own tool that fetches", webFetch, "http://169.254.169.254/", true},
		{"the service by its IPv6 address", fetch, "http://[fd00:ec2::254]/latest/", true},
		{"an IPv4 address in IPv6", fetch, "http://[::ffff:169.254.169.254]/", true},
		{"a link-local address in IPv6", fetch, "http://[fe80::a9fe:a9fe]/latest/", true},
		{"with its zone", fetch, "http://[fe80::1%25eth0]/", true},
		{"an address behind NAT64", fetch, "http://[64:ff9b::a9fe:a9fe]/", true},
		{"one number", fetch, "http://2852039166/latest/", true},
		{"one number in base 16", fetch, "http://0xa9fea9fe/", true},
		{"numbers in base 8", fetch, "http://0251.0376.0251.0376/", true},
		{"a name with a dot behind it", fetch, "http://metadata.google.internal./computeMetadata/v1/", true},
		{"an address with a dot behind it", fetch, "http://169.254.169.254./", true},
		{"other full stops", fetch, "http://169。254。169。254/", true},
		{"the IPv6 address alone", fetch, "fd00:ec2::254", true},
		{"the IPv6 address in brackets", fetch, "[fd00:ec2::254]:80", true},
		{"an own address in IPv6", fetch, "http://[fd12:3456::1]/", false},
		{"the service by its name", fetch, "http://metadata.google.internal/computeMetadata/v1/", true},
		{"the name in capitals with the root's dot", fetch, "http://Metadata.Google.Internal./", true},
		{"one decimal number", fetch, "http://2852039166/latest/", true},
		{"one hexadecimal number", fetch, "http://0xA9FEA9FE/latest/", true},
		{"octal numbers", fetch, "http://0251.0376.0251.0376/", true},
		{"a mixture", fetch, "http://169.0xfe.43518/", true},
		{"a user name before it", fetch, "http://example.com@169.254.169.254/", true},
		{"a name that stands for the address", fetch, "http://169-254-169-254.nip.io/", true},
		{"a port", fetch, "http://169.254.170.2:80/v2/credentials", true},
		{"another address of the link", fetch, "https://169.254.7.9/", true},
		{"the host alone", fetch, "169.254.169.254", true},
		{"the host and a path", fetch, "169.254.169.254/latest/meta-data/", true},
		{"blanks around it", fetch, " http://169.254.169.254/\n", true},
		{"a network", fetch, "169.254.0.0/16", false},
		{"a number that is an id", fetch, "2852039166", false},
		{"a word", fetch, "metadata", false},
		{"a page about it", fetch, "https://docs.example.com/169.254.169.254", false},
		{"a text about it", fetch, "why is http://169.254.169.254/ asked for?", false},
		{"a host of the inside", fetch, "http://10.0.0.7/", false},
		{"a search on this machine", grep, "http://169.254.169.254/", false},
		{"a note", note, "http://169.254.169.254/", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := facts(c.call)
			f.Strings = []string{c.text}
			want := policy.Ruling{Decision: mcpproxy.Allow}
			if c.asks {
				want = policy.Ruling{Decision: mcpproxy.Ask, Rule: policy.RuleMetadata}
			}
			got := (&policy.Tables{MetadataDestination: mcpproxy.Ask}).Decide(f)
			if got.Decision != want.Decision || got.Rule != want.Rule {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
