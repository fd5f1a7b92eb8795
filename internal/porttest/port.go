// Package porttest gives tests addresses for programs that must be told where to listen, and that
// are started a moment later or more than once.
//
// A port that the kernel chose is not safe to use again after it was closed: the kernel soon gives it to another
// listener on port 0, or to an outgoing connection. The ports of this package are outside the range from which the
// kernel chooses, and two processes never have the same one: while a port is reserved, a UDP socket of the same
// number is open. Only tests and the packages that support them import it. A test that can open its own listener on
// port 0 does not need it.
package porttest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"testing"
)

// The ports from which Reserve chooses, unless the kernel's own range begins lower. That of Linux
// begins at 32768, and those of other systems at 49152.
const first, end = 10000, 32768

// Free returns an address of this machine that is reserved until the test ends, and at which nothing
// listens.
func Free(t testing.TB) string {
	t.Helper()
	address, release, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return address
}

// Reserve is Free for callers without a test. The address is reserved until release is called or the
// process ends.
func Reserve() (address string, release func(), err error) {
	most := end
	var low, high int
	if raw, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		if _, err := fmt.Sscan(string(raw), &low, &high); err == nil && low > first+1000 {
			most = min(most, low)
		}
	}
	for range 1000 {
		address = fmt.Sprintf("127.0.0.1:%d", first+rand.N(most-first))
		held, err := net.ListenPacket("udp", address)
		if err != nil {
			continue
		}
		if tried, err := net.Listen("tcp", address); err == nil && tried.Close() == nil {
			return address, func() { _ = held.Close() }, nil
		}
		_ = held.Close()
	}
	return "", nil, errors.New("no free port was found on 127.0.0.1")
}
