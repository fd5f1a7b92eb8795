package auth

import (
	"hash/maphash"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	maxGuesses   = 20              // consecutive wrong keys from one address
	forgiveAfter = 3 * time.Second // time until one wrong key is forgotten
	maxAddresses = 4096            // addresses that are remembered
	maxRepeated  = 4               // hashes of wrong keys kept for each address
)

// guesses counts the wrong keys of each address.
type guesses struct {
	now  func() time.Time
	seed maphash.Seed

	mu sync.Mutex
	by map[string]*guesser
}

// guesser holds the wrong keys of one address.
type guesser struct {
	count float64 // wrong keys that are not yet forgotten
	at    time.Time
	last  []uint64 // hashes of the last wrong keys
}

func newGuesses(now func() time.Time) *guesses {
	return &guesses{now: now, seed: maphash.MakeSeed(), by: map[string]*guesser{}}
}

// forgive lowers the count according to the time that has passed.
func (g *guesser) forgive(now time.Time) {
	g.count = max(0, g.count-float64(now.Sub(g.at))/float64(forgiveAfter))
	g.at = now
}

// wait returns how long an address has to wait; 0 if it may try now.
func (g *guesses) wait(address string) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.by[address]
	if one == nil {
		return 0
	}
	one.forgive(g.now())
	if over := one.count - (maxGuesses - 1); over > 0 {
		return time.Duration(over * float64(forgiveAfter))
	}
	return 0
}

// wrong counts a wrong key, unless it is one of the last wrong keys of the address:
// repeating a key is not guessing.
func (g *guesses) wrong(address string, given []string) {
	var h maphash.Hash
	h.SetSeed(g.seed)
	for _, one := range given {
		_, _ = h.WriteString(one)
		_ = h.WriteByte(0)
	}
	sum, now := h.Sum64(), g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.by[address]
	if one == nil {
		g.makeRoom(now)
		one = &guesser{at: now}
		g.by[address] = one
	}
	one.forgive(now)
	if slices.Contains(one.last, sum) {
		return
	}
	one.count++
	one.last = append(one.last[max(0, len(one.last)-maxRepeated+1):], sum)
}

// makeRoom drops addresses with at most one wrong key or, if there are none, the address
// with the fewest.
func (g *guesses) makeRoom(now time.Time) {
	if len(g.by) < maxAddresses {
		return
	}
	least, fewest := "", float64(maxGuesses+1)
	for address, one := range g.by {
		one.forgive(now)
		if one.count <= 1 {
			delete(g.by, address)
		} else if one.count < fewest {
			least, fewest = address, one.count
		}
	}
	if len(g.by) >= maxAddresses {
		delete(g.by, least)
	}
}

// loopback stands for all addresses of this machine.
const loopback = "this machine"

// AddressOf returns the address under which wrong keys of a request are counted. An IPv6 /64
// network counts as one address, because its holder can use all of it. All addresses of this
// machine count as one.
func AddressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return "" // all unparsable addresses count as one
	}
	if ip = ip.Unmap().WithZone(""); ip.IsLoopback() {
		return loopback
	}
	if ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}
