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
		for _, one := range []int{1, 2, 50} { // of how many words is one set
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

func TestSparseWordsThatCannotBeAreAnError(t *testing.T) {
	for name, file := range map[string][]byte{
		"a word after the last": append([]byte{1 << 5}, make([]byte, 7)...),
		"one that is not there": {1},
		"one that is zero":      append([]byte{1}, make([]byte, 8)...),
		"one beyond the number": {1 << 5, 1, 0, 0, 0, 0, 0, 0, 0},
	} {
		d := &Decoder{R: bytes.NewReader(file)}
		if d.sparse(5); d.Err == nil {
			t.Errorf("%s is taken", name)
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
	rest := 8*tableShards + (narrow.buckets+7)/8*8 // counts, and a byte for each bucket
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
	load := func(masks, entry []byte) error {
		var file Encoder
		PutAll(&file, uint32(32), uint32(16))
		file = append(append(file, masks...), entry...)
		d := &Decoder{R: bytes.NewReader(append(file, make([]byte, 8*tableShards)...))}
		new(Table[uint16]).Load(d)
		return d.Err
	}
	tagged, bare := []byte{1, 0, 0, 0, 0, 0, 0}, make([]byte, 7)
	if err := load([]byte{1, 0, 0, 0}, tagged); err != nil {
		t.Error(err)
	}
	if load([]byte{0, 0, 0, 1 << 7}, tagged) == nil {
		t.Error("an entry in the last slot is taken")
	}
	if load([]byte{1, 0, 0, 0}, bare) == nil {
		t.Error("an entry without a tag is taken")
	}
}
