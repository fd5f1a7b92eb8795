package scan

import (
	"slices"
	"sync"
)

// Grammar is what texts are read by: the words of all languages with their
// meanings, and the rows of meanings that amount to something.
type Grammar struct {
	words func() *vocabulary
	rows  func() *compiled
	pool  sync.Pool
	hails bool // reads what is asked of machines; see hail.go
}

// content is the grammar of things that tools answer.
var content = sync.OnceValue(func() *Grammar {
	g := newGrammar(slices.Concat(languages, contentLanguages), slices.Concat(allRows(), contentRows))
	g.hails = true
	return g
})

// NewGrammar makes a grammar that knows words and rows beside those by which
// content is read. It is built when it is first used; a concept that does not
// exist is then a panic.
func NewGrammar(words []Lexicon, rows []Row) *Grammar {
	return newGrammar(slices.Concat(languages, words), slices.Concat(allRows(), rows))
}

func newGrammar(words []Lexicon, rows []Row) *Grammar {
	g := &Grammar{
		words: sync.OnceValue(func() *vocabulary { return newVocabulary(words) }),
		rows:  sync.OnceValue(func() *compiled { return compile(rows) }),
	}
	g.pool.New = func() any { return &scratch{r: newViewReader(g.words()), m: newMatcher(g.rows())} }
	return g
}

// Warm builds the grammar, so that no text has to wait for it.
func (g *Grammar) Warm() { g.pool.Put(g.pool.Get()) }
