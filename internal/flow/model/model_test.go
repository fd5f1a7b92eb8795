package model_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/text"
)

const licence = `
The MIT License (MIT)

Copyright (c) 2024 Somebody Else and her friends

Permission is hereby granted, free of charge, to any person obtaining a copy of this software
and associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING
BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

const prose = `The committee met on Thursday evening to talk about the new library. Several members
thought that the roof should be repaired before winter, while others wanted to spend the money on
books for children. In the end they agreed to ask the town for help, and to meet again in a month.`

const code = `func (t *harvest) weigh(crates []crate) (total grams, err error) {
	for i, c := range crates {
		if c.fruit == nil || c.tare > c.gross {
			return 0, fmt.Errorf("crate %d of orchard %q: the scale says %d", i, t.orchard, c.gross)
		}
		total += c.gross - c.tare
	}
	return total, nil
}`

func skeleton(s string) []byte { return text.AppendLetters(nil, s, nil) }

// random returns a key of n letters and digits.
func random(r *rand.Rand, n int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// covered returns the shares of a text that stop grams cover, for the grams that winnowing selects and for grams at
// any position.
func covered(s string) (picked, anywhere float64) {
	b := skeleton(s)
	hashes := gram.Hashes(nil, b)
	share := func(stops func(yield func(int) bool)) float64 {
		end, n := 0, 0
		for at := range stops {
			if model.Stop(hashes[at]) {
				n += at + gram.K - max(at, end)
				end = at + gram.K
			}
		}
		return float64(n) / float64(len(b))
	}
	picked = share(func(yield func(int) bool) {
		for _, at := range gram.Winnow(nil, hashes, gram.W) {
			if !yield(int(at)) {
				return
			}
		}
	})
	anywhere = share(func(yield func(int) bool) {
		for at := range hashes {
			if !yield(at) {
				return
			}
		}
	})
	return picked, anywhere
}

func TestBoilerplateIsCovered(t *testing.T) {
	for name, tt := range map[string]struct {
		text             string
		picked, anywhere float64 // minimum
	}{
		"a licence with other names":     {licence, 0.92, 0.92},
		"a licence wrapped as a comment": {"// " + strings.Join(strings.Fields(licence), "\n // "), 0.92, 0.92},
		"a letter's end":                 {"Please let me know if you have any questions.\n\nBest regards,", 0.6, 0.99},
		"a stack trace":                  {"Traceback (most recent call last):\n  File \"<stdin>\", line", 0.5, 0.9},
	} {
		picked, anywhere := covered(tt.text)
		t.Logf("%s: %.3f by winnowing, %.3f by looking everywhere", name, picked, anywhere)
		if picked < tt.picked || anywhere < tt.anywhere {
			t.Errorf(
				"%s: %.2f and %.2f of it are covered, want %.2f and %.2f",
				name,
				picked,
				anywhere,
				tt.picked,
				tt.anywhere,
			)
		}
	}
}

func TestWhatOnePersonWroteIsNotCovered(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, s := range map[string]string{"prose": prose, "code": code, "keys": random(r, 2000)} {
		// A single gram that counts as a stop gram by mistake covers a whole k-gram.
		if _, anywhere := covered(s); anywhere > 0.12 {
			t.Errorf("%s: stop grams cover %.2f of the text", name, anywhere)
		}
		hashes, stops := gram.Hashes(nil, skeleton(s)), 0
		for _, h := range hashes {
			if model.Stop(h) {
				stops++
			}
		}
		if share := float64(stops) / float64(len(hashes)); share > 0.02 {
			t.Errorf("%s: %.3f of the k-grams are stop grams", name, share)
		}
	}
}

func TestWordsOfManyProjectsAreKnown(t *testing.T) {
	for _, w := range []string{"invoice", "customer", "createdat", "username", "id", "error", "base64", "sha256", "utf8", "2024", "firstname"} {
		if !model.Known([]byte(w)) {
			t.Errorf("%q is unknown", w)
		}
	}
}

func TestValuesAreUnknown(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, value := range map[string]func() string{
		"keys":              func() string { return string(skeleton(random(r, 12))) },
		"numbers":           func() string { return digits(r, 6) },
		"telephone numbers": func() string { return digits(r, 11) },
	} {
		known := 0
		for range 2000 {
			if model.Known([]byte(value())) {
				known++
			}
		}
		if known > 60 {
			t.Errorf("%d of 2000 random %s are known", known, name)
		}
	}
}

func digits(r *rand.Rand, n int) string {
	b := []byte{byte('1' + r.IntN(9))}
	for len(b) < n {
		b = append(b, byte('0'+r.IntN(10)))
	}
	return string(b)
}

func TestTablesFitInTheBinary(t *testing.T) {
	sum := int64(0)
	for _, name := range []string{"stop.bin", "words.bin", "cost.bin"} {
		file, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		sum += file.Size()
	}
	if sum < 100_000 || sum > 700_000 {
		t.Errorf("the tables have %d bytes", sum)
	}
}

func BenchmarkStop(b *testing.B) {
	hashes := gram.Hashes(nil, skeleton(strings.Repeat(licence+prose+code, 10)))
	for i := 0; b.Loop(); i++ {
		model.Stop(hashes[i%len(hashes)])
	}
}

func BenchmarkKnown(b *testing.B) {
	words := [][]byte{[]byte("createdat"), []byte("x7k2p9qw4m"), []byte("invoice"), []byte("48210")}
	for i := 0; b.Loop(); i++ {
		model.Known(words[i%len(words)])
	}
}
