package locate_test

import (
	"testing"

	"mcpproxy/internal/locate"
)

func TestWhereAMachineAsksForItsOwnCredentials(t *testing.T) {
	for _, tt := range []struct {
		what, host string
		want       bool
	}{
		{"the address of most clouds", "169.254.169.254", true},
		{"another address of the link", "169.254.7.7", true},
		{"as one number", "2852039166", true},
		{"in base 16", "0xa9fea9fe", true},
		{"in base 8", "0251.0376.0251.0376", true},
		{"within IPv6", "::ffff:169.254.169.254", true},
		{"in IPv6", "fd00:ec2::254", true},
		{"by name", "metadata.google.internal.", true},
		{"by a name that any address has", "169.254.169.254.nip.io", true},
		{"by such a name with dashes", "169-254-169-254.sslip.io", true},
		{"by such a name with another before it", "a.b.169.254.169.254.nip.io", true},
		{"an address of the own network", "192.168.1.1", false},
		{"an address of others", "203.0.113.7", false},
		{"another address by such a name", "10.0.0.1.nip.io", false},
		{"a name that only begins so", "metadata.example.org", false},
		{"nothing", "", false},
	} {
		t.Run(tt.what, func(t *testing.T) {
			if got := locate.Metadata(tt.host); got != tt.want {
				t.Errorf("%q: %v", tt.host, got)
			}
		})
	}
}
