package table

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSparseWordsAreTheSameAfterReading(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 7, 8, 9, 1024} {
		for _, one := range []int{1, 2, 50} { // one word in so many is set
			words := make([]uint64, n)
			for i := range words {
				if r.IntN(one) == 0 {
					words[i] = r.Uint64()
				}
			}
			var file Encoder
			putSparse(&file, words)
			d := &Decoder{R: bytes.NewReader(file)}
			if got := d.sparse(n); d.Err != nil || !slices.Equal(got, words) {
				t.Errorf("%d words, one in %d set: %v, %v", n, one, got, d.Err)
			}
		}
	}
}

func TestInvalidSparseWordsAreAnError(t *testing.T) {
	for name, file := range map[string][]byte{
		"a word that is missing":      {1, 0, 0, 0, 1},
		"a marked word that is zero":  append([]byte{1, 0, 0, 0, 1}, make([]byte, 8)...),
		"a mark beyond the last word": {1, 0, 0, 0, 1 << 5, 1, 0, 0, 0, 0, 0, 0, 0},
		"fewer words than the count":  {2, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
		"more words than the count":   {1, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0},
	} {
		d := &Decoder{R: bytes.NewReader(file)}
		if d.sparse(5); d.Err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestASavedTableHasNoFreeSlots(t *testing.T) {
	const n = 1000
	r := rand.New(rand.NewPCG(2, 2))
	var narrow Table[uint16]
	var wide Table[uint32]
	for i := range n {
		h := r.Uint64()
		narrow.Add(h, uint16(i))
		wide.Add(h, uint32(i)<<16)
	}
	var small, large Encoder
	narrow.Save(&small)
	wide.Save(&large)
	rest := 12*tableShards + (narrow.buckets+7)/8*8 // counts, and a byte for each bucket
	if len(small) > 7*n+rest || len(large) > 9*n+rest {
		t.Errorf("%d entries take %d and %d bytes", n, len(small), len(large))
	}
	var read Table[uint32]
	d := &Decoder{R: bytes.NewReader(large)}
	if read.Load(d); d.Err != nil {
		t.Fatal(d.Err)
	}
	var again Encoder
	if read.Save(&again); !bytes.Equal(large, again) {
		t.Error("saving again gives other bytes")
	}
}

func TestATableWithAnEntryAtItsEndOrWithoutATagIsAnError(t *testing.T) {
	load := func(saved ...byte) error {
		var file Encoder
		PutAll(&file, uint32(32), uint32(16), uint32(1))
		file = append(file, saved...)
		d := &Decoder{R: bytes.NewReader(append(file, make([]byte, 12*tableShards)...))}
		new(Table[uint16]).Load(d)
		return d.Err
	}
	if err := load(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0); err != nil {
		t.Error(err)
	}
	if load(0, 0, 0, 1<<7, 1, 0, 0, 0, 0, 0, 0) == nil {
		t.Error("an entry in the last slot is accepted")
	}
	if load(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) == nil {
		t.Error("an entry without a tag is accepted")
	}
}
