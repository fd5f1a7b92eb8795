package match

import (
	"math/rand/v2"
	"testing"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
)

// alone decodes only the k-gram at i.
func alone(skeleton []byte, i int, plain float32) bool {
	from := max(i-2, 0)
	turned := sum(model.Cost(appendRot13(nil, skeleton[from:i+gram.K]), nil)[i-from:])
	return turned < plain || plain >= rotRandom*gram.K && turned <= rotNoise*plain
}

// readAsAlone compares a reader that decodes a stretch once with one that decodes each k-gram separately. seldom
// selects the k-grams.
func readAsAlone(t *testing.T, skeleton []byte, seldom func() bool) {
	t.Helper()
	var r reader13
	costs := model.Cost(skeleton, nil)
	for i := 0; i+gram.K <= len(skeleton); i++ {
		plain := sum(costs[i : i+gram.K])
		if !seldom() {
			continue
		}
		if got, want := r.better(skeleton, i, plain), alone(skeleton, i, plain); got != want {
			t.Fatalf("the k-gram at %d of %q costs less in rot13: %v, want %v", i, skeleton, got, want)
		}
	}
}

func TestRot13DecodesAStretchLikeItsKGramsAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789\xc3\xa9"
	for n := range 60 {
		s := make([]byte, r.IntN(600))
		for i := range s {
			s[i] = alphabet[r.IntN(1+n%len(alphabet))]
		}
		every := 1 + r.IntN(120)
		readAsAlone(t, s, func() bool { return r.IntN(every) == 0 })
	}
}

func FuzzRot13(f *testing.F) {
	f.Add([]byte("thequickbrownfoxjumpsoverthelazydog0123456789"), uint8(1))
	f.Add([]byte("gurdhvpxoebjasbkwhzcfbiregurynmlqbtgurdhvpxoebjasbk"), uint8(8))
	f.Fuzz(func(t *testing.T, s []byte, every uint8) {
		n := 0
		readAsAlone(t, s, func() bool { n++; return n%(int(every)+1) == 0 })
	})
}
