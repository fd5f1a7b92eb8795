package table

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestATableFindsWhatWasAdded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var tab Table[uint16]
	want := map[uint64][]uint16{}
	for i := range 50_000 {
		h := r.Uint64()
		if i%5 == 0 { // several references to a hash
			for known := range want {
				h = known
				break
			}
		}
		tab.Add(h, uint16(i))
		want[h] = append(want[h], uint16(i))
	}
	for h, refs := range want {
		got := tab.Find(nil, h, 100_000)
		slices.Sort(got)
		if !slices.Equal(got, refs) {
			t.Fatalf("%x has %v, want %v", h, got, refs)
		}
	}
	stray := 0
	for range 100_000 {
		if len(tab.Find(nil, r.Uint64(), 1)) > 0 {
			stray++
		}
	}
	if stray > 1 {
		t.Errorf("%d of 100,000 unknown hashes were found", stray)
	}
	if bytes, n := tab.Size(); n != 50_000 || bytes > 12*n {
		t.Errorf("%d bytes for %d entries", bytes, n)
	}
}

func TestTheSizeOfATableIsTheSumOfItsShards(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	var tab, other, read Table[uint16]
	check := func(what string, tab *Table[uint16]) {
		t.Helper()
		buckets, used := 0, 0
		for _, s := range tab.shards {
			buckets, used = buckets+len(s.buckets), used+s.used
		}
		if buckets != tab.buckets || used != tab.used || used == 0 {
			t.Errorf("%s: %d buckets and %d entries, not %d and %d", what, tab.buckets, tab.used, buckets, used)
		}
	}
	for i := range 5000 {
		tab.Add(r.Uint64(), uint16(i))
		other.Add(r.Uint64(), uint16(i))
	}
	check("added", &tab)
	tab.Retain(func(ref uint16) bool { return ref%16 == 3 })
	check("retained", &tab)
	tab.Take(&other, func(ref uint16) (uint16, bool) { return ref + 1, ref%2 == 0 })
	check("taken", &tab)
	var file Encoder
	tab.Save(&file)
	read.Load(&Decoder{R: bytes.NewReader(file)})
	check("loaded", &read)
}

// An attacker can choose hashes that all belong to the end of a table. They take no more memory than other entries,
// and a search still ends, at the free slot after them.
func TestManyEntriesAtTheEndOfATableTakeLittleMemory(t *testing.T) {
	const n = 2000
	var s shard[uint16]
	check := func(used int) {
		t.Helper()
		if s.tag(s.size-1) != 0 || s.used != used || s.size > 8*used+64 {
			t.Fatalf("%d entries in %d slots, of which the last has %d", s.used, s.size, s.tag(s.size-1))
		}
	}
	for i := range n {
		s.insert(slotContent[uint16]{tag: ^uint32(0) - uint32(i*7%n), ref: uint16(i)})
		check(i + 1)
	}
	s.resize(n, nil)
	check(n)
	var tab, read Table[uint16]
	tab.shards[3] = s
	var file Encoder
	tab.Save(&file)
	d := &Decoder{R: bytes.NewReader(file)}
	if read.Load(d); d.Err != nil {
		t.Fatal(d.Err)
	}
	for i := range n {
		for _, s := range []*shard[uint16]{&s, &read.shards[3]} {
			found := false
			for ref := range s.find(^uint32(0)-uint32(i*7%n), 0) {
				found = found || *ref == uint16(i)
			}
			if !found {
				t.Fatalf("entry %d is not found", i)
			}
		}
	}
	last := uint32(0)
	for e := range s.entries() {
		if e.tag < last {
			t.Fatalf("the tag %x follows the larger tag %x", e.tag, last)
		}
		last = e.tag
	}
	s.resize(10, func(ref uint16) bool { return ref < 10 })
	check(10)
}

func TestRetainDropsEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var tab Table[uint32]
	hashes := make([]uint64, 10_000)
	for i := range hashes {
		hashes[i] = r.Uint64()
		tab.Add(hashes[i], uint32(i%10))
	}
	before, _ := tab.Size()
	tab.Retain(func(ref uint32) bool { return ref < 3 })
	after, n := tab.Size()
	if n != 3000 || after > before/2 {
		t.Errorf("%d entries in %d bytes, before %d", n, after, before)
	}
	for i, h := range hashes {
		if found := len(tab.Find(nil, h, 10)) > 0; found != (i%10 < 3) {
			t.Fatalf("entry %d of reference %d: found %v", i, i%10, found)
		}
	}
	tab.Replace(hashes[1], 1, 77)
	if got := tab.Find(nil, hashes[1], 10); !slices.Contains(got, 77) {
		t.Errorf("the reference was not replaced: %v", got)
	}
}

func TestATooLargeSieveLetsEveryHashThrough(t *testing.T) {
	s := Sieve{layers: [][]uint64{make([]uint64, firstSieve), make([]uint64, largeSieve)}, left: 2}
	for h := range uint64(3) {
		if s.Has(Scramble(9)) {
			t.Fatalf("the sieve lets every hash through after only %d", h)
		}
		s.Add(Scramble(h))
	}
	var other Sieve
	other.Absorb(&s)
	for _, s := range []Sieve{s, other} {
		if s.Bytes() != 0 || !s.Has(Scramble(1)) || !s.Has(Scramble(9)) {
			t.Errorf("the sieve takes %d bytes, and Has of the second hash is %t", s.Bytes(), s.Has(Scramble(1)))
		}
	}
	var read Sieve
	var file Encoder
	s.Save(&file)
	if read.Load(&Decoder{R: bytes.NewReader(file)}); !read.Has(Scramble(9)) {
		t.Error("the loaded sieve does not let every hash through")
	}
}

func TestASetThatClaimsMoreRoomThanItHasIsRefused(t *testing.T) {
	write := func(values ...any) *Decoder {
		var file Encoder
		file.Put(values...)
		return &Decoder{R: bytes.NewReader(file)}
	}
	words, blocks := make([]byte, 5), make([]byte, 5) // no word is set
	for name, c := range map[string]struct {
		file *Decoder
		load func(*Decoder)
	}{
		"a sieve without a layer":            {write(uint32(0), int64(5)), new(Sieve).Load},
		"a sieve with one layer":             {write(uint32(1), int64(17), uint32(4), words), new(Sieve).Load},
		"an open sieve with one layer":       {write(uint32(1), int64(open), uint32(4), words), new(Sieve).Load},
		"a public set":                       {write(uint32(1), uint32(1), int64(33), blocks), new(Public).Load},
		"a public set with a negative count": {write(uint32(1), uint32(1), int64(-1), blocks), new(Public).Load},
	} {
		if c.load(c.file); c.file.Err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for name, c := range map[string]struct {
		file *Decoder
		load func(*Decoder)
	}{
		"a sieve":       {write(uint32(1), int64(16), uint32(4), words), new(Sieve).Load},
		"an open sieve": {write(uint32(0), int64(open)), new(Sieve).Load},
		"a public set":  {write(uint32(1), uint32(1), int64(16), blocks), new(Public).Load},
	} {
		if c.load(c.file); c.file.Err != nil {
			t.Errorf("%s: %v", name, c.file.Err)
		}
	}
}
