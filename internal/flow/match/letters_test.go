package match

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

// Text that is read only once is still compared everywhere, at the ends of long texts and at the beginning of an
// encoding too.
func TestASharedRunIsFoundAnywhereInLongTexts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 5))
		secret := randomWord(r, gram.Shared, base62)
		filler := func(n int) string {
			s := prose(r, n)
			if rapid.Bool().Draw(rt, "foreign") {
				s = strings.ReplaceAll(s, "e", "é")
			}
			if rapid.Bool().Draw(rt, "escaped") {
				s += "\\u0041%41=\n" + prose(r, n)
			}
			return s
		}
		words := rapid.SampledFrom([]int{0, 5, 100, 400}).Draw(rt, "words")
		texts := []string{filler(words), filler(200), filler(words)}
		n := rapid.IntRange(0, len(texts)-2).Draw(rt, "n")
		if split := rapid.IntRange(0, gram.Shared).Draw(rt, "split"); rapid.Bool().Draw(rt, "over two") {
			texts[n] += " " + secret[:split]
			texts[n+1] = secret[split:] + " " + texts[n+1]
		} else {
			at := rapid.IntRange(0, len(texts[n])).Draw(rt, "at")
			texts[n] = texts[n][:at] + secret + texts[n][at:]
		}
		x := New()
		x.Add(document(t, prose(r, 60)+" "+secret+" "+prose(r, 60)), options, Source{ID: 1})
		args := map[string]any{}
		for i, s := range texts {
			args[fmt.Sprint("m", i)] = strings.ToValidUTF8(s, "")
		}
		q := NewQuery(document(t, args), nil, options)
		x.Find(q, "") // Find must accept cut texts
		if !slices.ContainsFunc(q.pieces, func(p piece) bool { return len(x.agreements(p.skeleton)) > 0 }) {
			rt.Fatalf("%s is not found in %q", secret, texts)
		}
	})
}

func TestTheMiddleOfARepeatedTextIsNotReadAgain(t *testing.T) {
	long := prose(rand.New(rand.NewPCG(8, 1)), 2000)
	doc := document(
		t,
		map[string]string{"a": long, "b": "short", "c": long[:len(long)/2] + "%41%42" + long[len(long)/2:]},
	)
	letters, texts := 0, 2*len(long)
	for _, p := range queryPieces(doc) {
		letters += len(p.skeleton)
	}
	if letters > texts+texts/4 {
		t.Errorf("%d letters were read for %d bytes of text", letters, texts)
	}
}

// The costs of a piece are combined from those of its views and must be equal to the costs of its skeleton.
func TestCostsOfAPieceAreThoseOfItsSkeleton(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringMatching(`[a-z0-9é .]{0,12}`)
		p := piece{}
		for range rapid.IntRange(0, 5).Draw(rt, "segments") {
			l := value.AllLetters(&text.View{Text: word.Draw(rt, "word")})
			start := rapid.IntRange(0, l.Size).Draw(rt, "start")
			p.addPart(l, start, rapid.IntRange(start, l.Size).Draw(rt, "end"))
		}
		p.prepend([]byte(rapid.StringMatching(`[a-z]{0,5}`).Draw(rt, "before")))
		if got, want := p.cost(nil), model.Cost(p.skeleton, nil); !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v of %q", got, want, p.skeleton)
		}
	})
}

// Rot13 is found among other words, and in text that consists of rot13 alone.
func TestRot13IsFoundAmongOtherText(t *testing.T) {
	secret := "The merger with Contoso closes on Friday at a price that nobody else must ever know about"
	x := New()
	x.Add(document(t, secret), options, Source{ID: 1})
	plain := "Please have a look at the following note when you find the time, and tell me what you think of it. "
	for name, args := range map[string]any{
		"alone":                  map[string]string{"text": string(appendRot13(nil, []byte(strings.ToLower(secret))))},
		"among others":           map[string]string{"text": strings.Repeat(plain, 20) + string(appendRot13(nil, []byte(strings.ToLower(secret)))) + strings.Repeat(plain, 20)},
		"one word in each field": map[string]any{"items": strings.Fields(string(appendRot13(nil, []byte(strings.ToLower(secret)))))},
	} {
		t.Run(name, func(t *testing.T) {
			hits := x.Find(NewQuery(document(t, args), nil, options), "")
			if len(hits) == 0 || len(hits[0].Spans) == 0 || !strings.Contains(hits[0].Decoded, "rot13") {
				t.Errorf("%+v", hits)
			}
		})
	}
	if hits := x.Find(
		NewQuery(document(t, map[string]string{"text": strings.Repeat(plain, 40)}), nil, options),
		"",
	); len(
		hits,
	) > 0 {
		t.Errorf("other text: %+v", hits)
	}
}

const base62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func randomWord(r *rand.Rand, n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}
