package scan

import (
	"slices"
	"sync"
)

// Grammar consists of the words of all languages with their meanings, and of rows of meanings to match.
type Grammar struct {
	words   func() *vocabulary
	rows    func() *compiled
	pool    sync.Pool
	appeals bool // searches for instructions to machines; see appeal.go
}

// content is the grammar for results of tools.
var content = sync.OnceValue(func() *Grammar {
	g := newGrammar(slices.Concat(languages, contentLanguages), slices.Concat(allRows(), contentRows))
	g.appeals = true
	return g
})

// NewGrammar returns a grammar with words and rows in addition to those for content. It is built on first use, and
// panics then if a concept does not exist.
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

// Warm builds the grammar in advance.
func (g *Grammar) Warm() { g.pool.Put(g.pool.Get()) }
