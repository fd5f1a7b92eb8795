package table

import (
	"math/rand/v2"
	"testing"
)

func TestAPublicHashStaysPublic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p Public
	hashes := make([]uint64, 100_000)
	for i := range hashes {
		hashes[i] = r.Uint64()
		if !p.Add(hashes[i]) {
			t.Fatal("the set is full")
		}
	}
	for _, h := range hashes {
		if !p.Has(h) {
			t.Fatalf("%x is not in the set", h)
		}
	}
	wrong := 0
	for range 100_000 {
		if p.Has(r.Uint64()) {
			wrong++
		}
	}
	if wrong > 1500 {
		t.Errorf("%d of 100,000 other hashes are in the set", wrong)
	}
	if bytes := p.Bytes(); bytes > 5*len(hashes) {
		t.Errorf("%d bytes for %d hashes", bytes, len(hashes))
	}
}

func TestThePublicSetIsBounded(t *testing.T) {
	full := Public{layers: []layer{{blocks: make([]block, maxPublic/64)}}}
	if full.Add(1) || full.Bytes() != maxPublic {
		t.Errorf("a full set accepts more hashes: %d bytes", full.Bytes())
	}
}
