package match

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The internal source of a text is reported even if many external results contain the text too.
func TestExternalResultsDoNotDisplaceInternalSources(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	x := New()
	private := prose(r, 12)
	x.Add(document(t, private), options, Source{ID: 1, Origin: "private"})
	sent := private
	for n := range 2 * maxHits {
		public := prose(r, 60)
		x.Add(document(t, public), options, Source{ID: 100 + n, Origin: fmt.Sprint(n), Public: true})
		sent += "\n" + public
	}
	for _, h := range x.Find(NewQuery(document(t, sent), nil, options), "") {
		if h.Source == 1 {
			return
		}
	}
	t.Error("the private source is not among the hits")
}

func TestReadingTheSameAgainTakesNoMoreMemory(t *testing.T) {
	text := prose(rand.New(rand.NewPCG(7, 7)), 300)
	x := New()
	x.Add(document(t, text), options, Source{ID: 0, Origin: "a file"})
	once := x.Bytes()
	for n := range 20 {
		x.Add(document(t, text), options, Source{ID: n + 1, Origin: "a file"})
	}
	if again := x.Bytes(); again > 2*once {
		t.Errorf("%d bytes after one reading, %d after twenty-one", once, again)
	}
}
