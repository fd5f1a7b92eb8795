package flow

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestWordsAreRunsOfLettersAndDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	alphabet := []rune("aZ09 _-.,:\n\x00éı東京\u0301٣🙂\u200b")
	for range 5000 {
		s := make([]rune, r.IntN(20))
		for i := range s {
			s[i] = alphabet[r.IntN(len(alphabet))]
		}
		text := string(s) + []string{"", "\xff", "\xe6\x9d"}[r.IntN(3)]
		var got []string
		for start, end := range wordsIn(text) {
			got = append(got, text[start:end])
		}
		want := strings.FieldsFunc(text, func(c rune) bool { return !unicode.In(c, unicode.L, unicode.M, unicode.Nd) })
		if !slices.Equal(got, want) {
			t.Fatalf("the words of %q are %q, want %q", text, got, want)
		}
	}
}
