package match

import (
	"math/rand/v2"
	"testing"
)

func TestWhatIsPublicStaysPublic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p public
	hashes := make([]uint64, 100_000)
	for i := range hashes {
		hashes[i] = r.Uint64()
		if !p.add(hashes[i]) {
			t.Fatal("no room")
		}
	}
	for _, h := range hashes {
		if !p.has(h) {
			t.Fatalf("%x was forgotten", h)
		}
	}
	wrong := 0
	for range 100_000 {
		if p.has(r.Uint64()) {
			wrong++
		}
	}
	if wrong > 1500 {
		t.Errorf("%d of 100,000 others count as public", wrong)
	}
	if bytes := p.bytes(); bytes > 5*len(hashes) {
		t.Errorf("%d bytes for %d hashes", bytes, len(hashes))
	}
}

func TestThePublicSetIsBounded(t *testing.T) {
	full := public{layers: []layer{{blocks: make([]block, maxPublic/64)}}}
	if full.add(1) || full.bytes() != maxPublic {
		t.Errorf("a full set takes more: %d bytes", full.bytes())
	}
}
