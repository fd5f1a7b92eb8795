package locate_test

import (
	"testing"

	"mcpproxy/internal/locate"
)

func TestIPInEveryNotation(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1":      "127.0.0.1",
		"2130706433":     "127.0.0.1",
		"0x7f000001":     "127.0.0.1",
		"0x7f.1":         "127.0.0.1",
		"0177.0.0.1":     "127.0.0.1",
		"127.1":          "127.0.0.1",
		"1.2.65535":      "1.2.255.255",
		"::ffff:8.8.8.8": "8.8.8.8",
		"fe80::1%eth0":   "fe80::1",
		"":               "",
		"1.2.3.4.5":      "",
		"256.1.1.1":      "",
		"0b11":           "",
		"1_000":          "",
		"0xg":            "",
		"a":              "",
	} {
		addr, ok := locate.IP(in)
		if ok != (want != "") || ok && addr.String() != want {
			t.Errorf("%q is %v, %v; want %q", in, addr, ok, want)
		}
	}
}
