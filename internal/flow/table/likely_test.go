package table

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// known returns a table of n random hashes, and the hashes.
func known(r *rand.Rand, n int) (*Table[uint16], []uint64) {
	var tab Table[uint16]
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = r.Uint64()
		tab.Add(hashes[i], uint16(i))
	}
	return &tab, hashes
}

func TestLikelyReportsAllEntriesAndFewOtherHashes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	tab, hashes := known(r, 60_000)
	var file Encoder
	var read Table[uint16]
	tab.Save(&file)
	read.Load(&Decoder{R: bytes.NewReader(file)})
	var grown Table[uint16]
	grown.Take(tab, func(ref uint16) (uint16, bool) { return ref, true })
	for name, tab := range map[string]*Table[uint16]{"filled": tab, "read": &read, "taken over": &grown} {
		mixed := make([]uint64, 0, 2*len(hashes)) // known hashes are at even indexes
		for _, h := range hashes {
			mixed = append(mixed, h, r.Uint64())
		}
		found, _ := tab.Likely(nil, mixed)
		have := 0
		stray := 0
		last := int32(-1)
		for _, i := range found {
			if i <= last {
				t.Fatalf("%s: %d comes after %d", name, i, last)
			}
			last = i
			have += 1 - int(i%2)
			stray += int(i % 2)
		}
		if have != len(hashes) || stray > len(hashes)/12 {
			t.Errorf("%s: Likely reports %d of %d entries and %d other hashes", name, have, len(hashes), stray)
		}
	}
}

func TestLikelyReportsNothingInAnEmptyTable(t *testing.T) {
	var tab Table[uint32]
	if found, _ := tab.Likely(nil, []uint64{0, 1, 1 << 40}); len(found) > 0 {
		t.Errorf("likely: %v", found)
	}
}

func TestTheWordsOfASieveLetItsHashesThrough(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var s, none Sieve
	for range 40_000 {
		s.Add(r.Uint64())
	}
	through := Sieve{left: open}
	for range 20_000 {
		base, h := r.Uint64(), uint64(0)
		for range 20 {
			h = base&^SieveSpread | r.Uint64()&SieveSpread
			for name, s := range map[string]*Sieve{"filled": &s, "empty": &none, "open": &through} {
				if got, want := Lets(s.Words(nil, base), h), s.Has(h); got != want {
					t.Fatalf("%s: %x: %t, want %t", name, h, got, want)
				}
			}
		}
		s.Add(h)
	}
}
