package model_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mcpproxy/internal/flow/model"
)

// perByte returns the mean cost of a text's skeleton.
func perByte(s string) float64 {
	sum, costs := 0.0, model.Cost(skeleton(s), nil)
	for _, c := range costs {
		sum += float64(c)
	}
	return sum / float64(len(costs))
}

func TestCostTellsTextsApart(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, tt := range []struct {
		name     string
		text     string
		min, max float64 // bits a byte
	}{
		{"a random key", random(r, 2000), 5.2, 8},
		{"random hex", strings.ReplaceAll(digits(r, 2000), "7", "e"), 3.3, 5.5},
		{"code", code, 3, 4.2},
		{"prose", prose, 2.5, 3.8},
		{"Japanese", "委員会は木曜日の夜に新しい図書館について話し合うために集まりました", 1.5, 3},
		{"a repeated letter", strings.Repeat("a", 200), 0.05, 1.2},
		{"a repeated digit", strings.Repeat("0", 200), 0.05, 1.2},
	} {
		got := perByte(tt.text)
		t.Logf("%s: %.2f bits a byte", tt.name, got)
		if got < tt.min || got > tt.max {
			t.Errorf("%s costs %.2f bits a byte, want %.1f to %.1f", tt.name, got, tt.min, tt.max)
		}
	}
	if a, b, c := perByte(random(r, 2000)), perByte(code), perByte(prose); a < b+1 || b < c {
		t.Errorf("random %.2f, code %.2f, prose %.2f are out of order", a, b, c)
	}
}

func TestCostAppends(t *testing.T) {
	got := model.Cost([]byte("the"), []float32{1})
	if len(got) != 4 || got[0] != 1 {
		t.Errorf("got %v", got)
	}
	if got[1] > 6 || got[2] >= got[1] || got[3] >= got[1] {
		t.Errorf("h after t, or e after th, does not cost less than t: %v", got)
	}
}

func TestTheCostOfALetterDependsOnlyOnTheTwoBeforeIt(t *testing.T) {
	s := skeleton(code + random(rand.New(rand.NewPCG(7, 8)), 200) + prose + "\x00\xff")
	whole := model.Cost(s, nil)
	for i := range s {
		from := max(i-2, 0)
		if alone := model.Cost(s[from:i+1], nil)[i-from]; i > 1 && alone != whole[i] {
			t.Fatalf("byte %d of %q costs %v after the two before it, and %v in the whole", i, s, alone, whole[i])
		}
	}
}

func FuzzCost(f *testing.F) {
	f.Add([]byte("the quick brown fox"))
	f.Add([]byte{0, 255, 'a', 'a', 'a'})
	f.Fuzz(func(t *testing.T, s []byte) {
		costs := model.Cost(s, nil)
		if len(costs) != len(s) {
			t.Fatalf("%d costs of %d bytes", len(costs), len(s))
		}
		for i, c := range costs {
			if c <= 0 || c >= 16 {
				t.Fatalf("byte %d of %q costs %v", i, s, c)
			}
		}
	})
}

func BenchmarkCost(b *testing.B) {
	s := skeleton(strings.Repeat(prose, 12))
	b.SetBytes(int64(len(s)))
	var costs []float32
	for b.Loop() {
		costs = model.Cost(s, costs[:0])
	}
}
