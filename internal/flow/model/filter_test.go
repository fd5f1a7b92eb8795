package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mcpproxy/internal/flow/model"
)

func TestAFilterHasItsKeysAndFewOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, tt := range []struct{ n, perKey, wrong int }{ // wrong is the maximum number of mistakes among 100,000 other keys
		{0, 10, 0}, {1, 10, 100_000}, {1, 16, 100_000}, {100, 10, 3000}, {50_000, 10, 1000}, {50_000, 16, 80},
	} {
		n := tt.n
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = r.Uint64()
		}
		f := model.NewFilter(keys, tt.perKey)
		for _, k := range keys {
			if !f.Has(k) {
				t.Fatalf("one of %d keys is missing", n)
			}
		}
		wrong := 0
		for range 100_000 {
			if f.Has(r.Uint64()) {
				wrong++
			}
		}
		if wrong > tt.wrong {
			t.Errorf("%d of 100,000 other keys are in a filter of %d keys with %d bits each", wrong, n, tt.perKey)
		}
	}
}

func TestAFilterDoesNotDependOnTheOrderOfItsKeys(t *testing.T) {
	keys := []uint64{1 << 60, 3, 1 << 40, 99, 12345}
	f := model.NewFilter(keys, 10)
	slices.Reverse(keys)
	if f != model.NewFilter(keys, 10) {
		t.Error("the same keys in another order make a different filter")
	}
}
