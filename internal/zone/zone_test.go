package zone_test

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/zone"
)

// An IPv4 address is in the same zone in every notation.
func TestAnAddressHasOneZoneHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var raw [4]byte
		for i := range raw {
			raw[i] = rapid.Byte().Draw(rt, "byte")
		}
		plain := netip.AddrFrom4(raw)
		want := zone.Of(plain)
		nat64 := netip.MustParseAddr("64:ff9b::").As16()
		sixToFour := netip.MustParseAddr("2002::").As16()
		copy(nat64[12:], raw[:])
		copy(sixToFour[2:], raw[:])
		for _, other := range []netip.Addr{netip.AddrFrom16(plain.As16()), netip.AddrFrom16(nat64), netip.AddrFrom16(sixToFour)} {
			if got := zone.Of(other); got != want {
				rt.Errorf("%s is in zone %s, %s in zone %s", other, got, plain, want)
			}
		}
	})
}

func TestTheZonesOfAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]zone.Zone{
		"93.184.216.34":          zone.Worldwide,
		"2606:4700::1":           zone.Worldwide,
		"10.1.2.3":               zone.Private,
		"fd12::1":                zone.Private,
		"100.64.0.1":             zone.Private,
		"127.0.0.1":              zone.Machine,
		"::1":                    zone.Machine,
		"::ffff:127.0.0.1":       zone.Machine,
		"0.0.0.0":                zone.Nowhere,
		"::":                     zone.Nowhere,
		"169.254.169.254":        zone.Nowhere,
		"64:ff9b::a9fe:a9fe":     zone.Nowhere,
		"fe80::1%eth0":           zone.Nowhere,
		"224.0.0.1":              zone.Nowhere,
		"2002:7f00:0001::":       zone.Machine,
		"fd00:ec2::254":          zone.Nowhere,
		"::ffff:169.254.169.254": zone.Nowhere,
	} {
		if got := zone.Of(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is in zone %d (%s), not in %d", address, got, got, want)
		}
	}
	if got := zone.Of(netip.Addr{}); got != zone.Nowhere {
		t.Errorf("no address is in zone %s", got)
	}
}
