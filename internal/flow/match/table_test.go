package match

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestATableFindsWhatWasAdded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var tab table[uint16]
	want := map[uint64][]uint16{}
	for i := range 50_000 {
		h := r.Uint64()
		if i%5 == 0 { // several references to a hash
			for known := range want {
				h = known
				break
			}
		}
		tab.add(h, uint16(i))
		want[h] = append(want[h], uint16(i))
	}
	for h, refs := range want {
		got := tab.find(nil, h, 100_000)
		slices.Sort(got)
		if !slices.Equal(got, refs) {
			t.Fatalf("%x has %v, want %v", h, got, refs)
		}
	}
	stray := 0
	for range 100_000 {
		if len(tab.find(nil, r.Uint64(), 1)) > 0 {
			stray++
		}
	}
	if stray > 1 {
		t.Errorf("%d of 100,000 unknown hashes were found", stray)
	}
	if bytes, n := tab.size(); n != 50_000 || bytes > 11*n {
		t.Errorf("%d bytes for %d entries", bytes, n)
	}
}

func TestATableForgetsWhatItIsTold(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var tab table[uint32]
	hashes := make([]uint64, 10_000)
	for i := range hashes {
		hashes[i] = r.Uint64()
		tab.add(hashes[i], uint32(i%10))
	}
	before, _ := tab.size()
	tab.retain(func(ref uint32) bool { return ref < 3 })
	after, n := tab.size()
	if n != 3000 || after > before/2 {
		t.Errorf("%d entries in %d bytes, before %d", n, after, before)
	}
	for i, h := range hashes {
		if found := len(tab.find(nil, h, 10)) > 0; found != (i%10 < 3) {
			t.Fatalf("entry %d of reference %d: found %v", i, i%10, found)
		}
	}
	tab.replace(hashes[1], 1, 77)
	if got := tab.find(nil, hashes[1], 10); !slices.Contains(got, 77) {
		t.Errorf("the reference was not replaced: %v", got)
	}
}
