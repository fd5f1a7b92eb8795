package match

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"mcpproxy/internal/flow/gram"
)

// A large text is hashed in blocks. The selection is the same as if it were hashed at once.
func TestHashingInBlocksSelectsTheSameKGrams(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, gram.K, 500, block, block + gram.K, block + gram.K + gram.W - 1, 3*block + 17} {
		skeleton := make([]byte, n)
		for i := range skeleton {
			skeleton[i] = "abcdefgh"[r.IntN(8)]
		}
		for _, text := range [][]byte{skeleton, bytes.Repeat([]byte("a"), n)} { // of equal hashes, the first is selected
			hashes := gram.Hashes(nil, text)
			want := gram.Winnow(nil, hashes, gram.W)
			var s scratch
			s.grams.reset(text)
			s.pick()
			if !slices.Equal(s.picked, want) {
				t.Fatalf("%d letters: %d k-grams selected, want %d", n, len(s.picked), len(want))
			}
			for i, at := range s.picked {
				if s.few[i] != hashes[at] || s.grams.in(int(at), int(at)+1)[0] != hashes[at] {
					t.Fatalf("%d letters: wrong hash at %d", n, at)
				}
			}
		}
	}
}
