package match

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// cut returns s in pieces of n bytes.
func cut(s string, n int) []string { return strings.Split(wrapped(s, n, "\x00"), "\x00") }

func TestATextThatIsSentInPiecesIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	secret := "the merger with contoso closes on friday at forty one fifty a share and nobody must know"
	for name, say := range map[string]func(n, of int, piece string) any{
		"one piece in each call": func(_, _ int, piece string) any { return map[string]string{"text": piece} },
		"with words around it": func(n, of int, piece string) any {
			return map[string]string{"text": fmt.Sprintf("part %d of %d: %s thanks", n, of, piece)}
		},
		"beside another field":      func(n, _ int, piece string) any { return map[string]any{"n": n, "text": piece, "title": "Update"} },
		"in a list that grows":      func(_, _ int, piece string) any { return map[string]any{"items": []string{piece}} },
		"in two fields alternately": func(n, _ int, piece string) any { return map[string]string{"text": piece} },
	} {
		t.Run(name, func(t *testing.T) {
			x := New()
			x.Add(document(t, prose(r, 40)+". "+secret+". "+prose(r, 40)), options, Source{ID: 3})
			pieces, at := cut(secret, 8), 0
			for n, piece := range pieces {
				doc := document(t, say(n+1, len(pieces), piece))
				if len(x.Find(NewQuery(doc, nil, options), "chat")) > 0 {
					at = n + 1
					break
				}
			}
			if at == 0 || at > 8 {
				t.Errorf("found after %d pieces of %d", at, len(pieces))
			}
		})
	}
}

func TestPiecesForDifferentToolsAreNotJoined(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	secret := prose(r, 20)
	x := New()
	x.Add(document(t, secret), options, Source{ID: 3})
	for n, piece := range cut(secret, 12) {
		hits := x.Find(NewQuery(document(t, map[string]string{"text": piece}), nil, options), fmt.Sprint("tool", n))
		if len(hits) > 0 {
			t.Errorf("piece %d alone is a hit: %+v", n, hits)
		}
	}
}

func TestStreamsAreBounded(t *testing.T) {
	var s streams
	for n := range 3 * maxStreams {
		s.get(fmt.Sprint(n)).values = lastBytes(nil, make([]byte, 1000))
	}
	if len(s.byKey) > maxStreams || len(s.get("1").values) > tail || s.byKey[fmt.Sprint(3*maxStreams-1)] == nil {
		t.Errorf("%d streams are stored", len(s.byKey))
	}
}

func TestChangingReturnsTheDifferenceOfTwoValues(t *testing.T) {
	for name, c := range map[string]struct{ a, b, want string }{
		"differing numbers do not count": {"part 1 of 6: alpha thanks", "part 2 of 6: bravo thanks", "bravo"},
		"words are not split":            {"see alphabet", "see alphanumeric", "alphanumeric"},
		"nothing":                        {"same", "same", ""},
		"the whole value":                {"one", "two", "two"},
		"after an empty value":           {"", "two", "two"},
		"a short common beginning":       {"x", "x and more", " and more"},
	} {
		t.Run(name, func(t *testing.T) {
			start, end := changing(c.a, c.b)
			if got := c.b[min(start, end):end]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
