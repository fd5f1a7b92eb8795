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
		{"in IPv6, in full", "fd00:0ec2:0000:0000:0000:0000:0000:0254", true},
		{"in IPv6, in capitals and brackets", "[FD00:EC2::254]", true},
		{"the credentials of a pod, in IPv6", "fd00:ec2::23", true},
		{"of Google Cloud, in IPv6", "fd20:ce::254", true},
		{"on the link, in IPv6", "fe80::a9fe:a9fe", true},
		{"on the link, in IPv6, with a zone", "fe80::1%eth0", true},
		{"on the link, in IPv6, with an escaped zone in brackets", "[fe80::1%25eth0]", true},
		{"at the end of the link's addresses", "febf::1", true},
		{"within IPv6, in hexadecimal", "::ffff:a9fe:a9fe", true},
		{"within IPv6, in brackets", "[::ffff:169.254.169.254]", true},
		{"within IPv6, of the old form", "::169.254.169.254", true},
		{"behind NAT64", "64:ff9b::a9fe:a9fe", true},
		{"behind 6to4", "2002:a9fe:a9fe::1", true},
		{"in base 16, number by number", "0xA9.0xFE.0xA9.0xFE", true},
		{"in base 8, with more zeros", "00000251.00000376.000251.0000376", true},
		{"in three bases", "0xa9.254.0251.254", true},
		{"in two numbers", "169.16689662", true},
		{"in three numbers", "169.254.43518", true},
		{"with a dot behind it", "169.254.169.254.", true},
		{"with dots behind it", "169.254.169.254..", true},
		{"with escapes", "169%2e254%2e169%2e254", true},
		{"with other full stops", "169。254。169．254", true},
		{"in wide digits", "１６９.２５４.１６９.２５４", true},
		{"by name, in capitals", "METADATA.GOOGLE.INTERNAL", true},
		{"by a name below it", "www.metadata.google.internal.", true},
		{"by name, of another cloud", "metadata.tencentyun.com", true},
		{"in base 16, by a name that any address has", "a9fea9fe.nip.io", true},
		{"in IPv6, by such a name", "fd00-ec2--254.sslip.io", true},
		{"of a container", "169.254.170.2", true},
		{"of Alibaba", "100.100.100.200", true},
		{"of Oracle", "192.0.0.192", true},
		{"of Azure", "168.63.129.16", true},
		{"an own network in IPv6", "fd12:3456::1", false},
		{"this machine in IPv6", "::1", false},
		{"no address in IPv6", "::", false},
		{"a site in IPv6", "2606:4700::1111", false},
		{"the address beyond the link's", "fec0::1", false},
		{"a site behind NAT64", "64:ff9b::cb00:7107", false},
		{"a site behind 6to4", "2002:cb00:7107::1", false},
		{"a site's address with such numbers", "254.169.254.169", false},
		{"a site whose name ends in such a word", "mymetadata.google.example", false},
		{"a site's name of digits", "169.254.example.com", false},
		{"a name that has the service as a label", "metadata.google.internal.example.org", false},
		{"a machine of the own network by that name", "metadata.corp.example", false},
		{"another name of eight letters", "deadbeef.nip.io", false},
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
