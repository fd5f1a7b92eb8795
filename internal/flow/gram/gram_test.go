package gram_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mcpproxy/internal/flow/gram"
)

func random(r *rand.Rand, n int, alphabet string) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return b
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789"

func picked(skeleton []byte, w int) map[uint64]bool {
	hashes := gram.Hashes(nil, skeleton)
	out := map[uint64]bool{}
	for _, at := range gram.Winnow(nil, hashes, w) {
		out[hashes[at]] = true
	}
	return out
}

func TestTheRollingHashEqualsTheHashOfTheGram(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := random(r, 500, letters)
	for i, h := range gram.Hashes(nil, s) {
		if alone := gram.Hashes(nil, s[i:i+gram.K]); len(alone) != 1 || alone[0] != h {
			t.Fatalf("at %d the rolling hash is %x, alone %x", i, h, alone)
		}
	}
	if got := gram.Hashes(nil, s[:gram.K-1]); got != nil {
		t.Errorf("a text shorter than a gram has hashes: %x", got)
	}
}

func TestAReversedGramHasTheSameHash(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := random(r, 300, letters)
	forward := gram.Hashes(nil, s)
	slices.Reverse(s)
	backward := gram.Hashes(nil, s)
	slices.Reverse(backward)
	if !slices.Equal(forward, backward) {
		t.Error("a reversed text has different hashes")
	}
}

// This is the guarantee of winnowing: if two texts share a run of Shared bytes, they select a common hash.
func TestTextsThatShareEnoughSelectACommonHash(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 4000 {
		alphabet := letters[:2+r.IntN(len(letters)-2)] // small alphabets make repetitive texts
		shared := random(r, gram.Shared, alphabet)
		one := slices.Concat(random(r, r.IntN(100), alphabet), shared, random(r, r.IntN(100), alphabet))
		if n%2 == 1 {
			slices.Reverse(shared)
		}
		two := slices.Concat(random(r, r.IntN(100), alphabet), shared, random(r, r.IntN(100), alphabet))
		common := false
		other := picked(two, gram.W)
		for h := range picked(one, gram.W) {
			common = common || other[h]
		}
		if !common {
			t.Fatalf("no selected hash in common:\n%s\n%s\nshared %s", one, two, shared)
		}
	}
}

func TestAWiderWindowSelectsASubsetOfANarrowerOne(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		s := random(r, r.IntN(400), letters[:2+r.IntN(len(letters)-2)])
		narrow := picked(s, gram.W)
		for h := range picked(s, 3*gram.W) {
			if !narrow[h] {
				t.Fatalf("%x is selected with window 27 and not with window 9 in %s", h, s)
			}
		}
	}
}

func TestAboutOneInFiveIsSelected(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	hashes := gram.Hashes(nil, random(r, 100_000, letters))
	share := float64(len(gram.Winnow(nil, hashes, gram.W))) / float64(len(hashes))
	if share < 0.19 || share > 0.21 {
		t.Errorf("%.3f of the hashes are selected, want about 2/(w+1) = 0.2", share)
	}
}

func FuzzGrams(f *testing.F) {
	f.Add([]byte("thequickbrownfoxjumpsoverthelazydog"), 9)
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 1)
	f.Fuzz(func(t *testing.T, s []byte, w int) {
		w = 1 + (w&0x7fffffff)%64
		hashes := gram.Hashes(nil, s)
		if want := max(0, len(s)-gram.K+1); len(hashes) != want {
			t.Fatalf("%d hashes of %d bytes", len(hashes), len(s))
		}
		last := int32(-1)
		for _, at := range gram.Winnow(nil, hashes, w) {
			if at <= last || at-last > int32(w) {
				t.Fatalf("position %d is selected after %d with window %d", at, last, w)
			}
			last = at
		}
	})
}

func BenchmarkHashes(b *testing.B) {
	s := random(rand.New(rand.NewPCG(1, 1)), 4096, letters)
	b.SetBytes(int64(len(s)))
	var hashes []uint64
	var at []int32
	for b.Loop() {
		hashes = gram.Hashes(hashes[:0], s)
		at = gram.Winnow(at[:0], hashes, gram.W)
	}
}
