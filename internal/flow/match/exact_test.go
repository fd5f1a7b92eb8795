package match

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/text"
)

// The hash of a text's ends must be the same for all forms of the text. Otherwise a text that is repeated in another
// form would not be looked up.
func TestATextHasTheSameEndsInAllOfItsForms(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("abzABZ0189 \n\t-=.,({})éÉßЖжНн“…ﬁＡ\u200b\u0301")), 0, 120, -1)
	ruled := rapid.Map(
		letters,
		func(s string) string { return strings.Repeat("-", 60) + s + strings.Repeat("}\n\t", 30) },
	)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(letters, ruled).Draw(t, "text")
		normal := strings.TrimSpace(text.NormalForm(s))
		folded := text.FoldedNormal(normal)
		if endsOf(normal) != endsOf(folded) {
			t.Fatalf("the hashes of the ends of %q and %q differ", normal, folded)
		}
	})
}

// The hashes of edges are truncated SHA-256, so that other programs can compute them.
// Shows: FR-011.
func TestAHashIsTheFirstHalfOfSHA256(t *testing.T) {
	whole := sha256.Sum256([]byte("postgres://app@db.internal/orders"))
	if got := hashOf("postgres://app@db.internal/orders"); !bytes.Equal(got[:], whole[:16]) {
		t.Errorf("%x is not the beginning of %x", got, whole)
	}
	if hashOfAll([]string{"ab", "c"}) == hashOfAll([]string{"a", "bc"}) {
		t.Error("two different lists of texts have the same hash")
	}
}

// Shows: FR-012.
func TestTextsThatBeginAndEndInSignsAreFoundInAnotherForm(t *testing.T) {
	said := "the committee moved the vineyard settlement to a private arbitration in Trieste on the ninth, and nobody outside may hear of its terms before winter"
	x := New()
	x.Add(document(t, strings.Repeat("=", 80)+"\n"+said+"\n"+strings.Repeat("}  ", 40)), options, Source{ID: 7})
	q := NewQuery(
		document(t, "  "+strings.Repeat("=", 80)+" "+strings.ToUpper(said)+" "+strings.Repeat("} ", 40)),
		nil,
		options,
	)
	for _, h := range x.equals(q, nil) {
		if h.Source == 7 && h.Match == "normalized" {
			return
		}
	}
	t.Error("the text in another form is not a normalized hit")
}

func TestUnknownTextsAreNotHashedCompletely(t *testing.T) {
	x := New()
	x.Add(
		document(
			t,
			map[string]string{"text": "the committee moved the vineyard settlement to arbitration", "state": "ok"},
		),
		options,
		Source{ID: 7},
	)
	q := NewQuery(
		document(
			t,
			map[string]string{"text": "what stands here was said by nobody in this session at all", "state": "ok"},
		),
		nil,
		options,
	)
	for _, p := range q.prints {
		if p.match != "word" && x.ends.Has(p.ends) {
			t.Errorf("the full hash of %q is looked up (%s)", p.text, p.match)
		}
	}
}
