package main

import (
	"fmt"
	"math"
	"slices"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/text"
)

// The number of independent owners from which a text is common. gramOwners is not three, because three makes twice as
// many k-grams. As measured, these cover no more of the text that harmless calls share with earlier results, but more
// of the text that leaks share with them.
const (
	gramOwners = 4
	wordOwners = 3
	codeOwners = 8  // for a word with a digit; with three owners, every third number of five digits would be known
	pairOwners = 10 // for two adjacent words
)

// The bits of a filter for each key. Mistakes must be rare, because texts are looked up at every position. A k-gram
// that counts as a stop gram by mistake hides all letters of the k-gram.
const (
	stopBits = 16
	wordBits = 10
)

// A table is one of the files that package model embeds.
type table struct {
	name    string
	data    []byte
	entries int
}

// A learner reads texts and finds what they have in common.
type learner struct {
	grams    keyCounter
	words    vocabulary
	trigrams trigrams
	always   []uint64 // k-grams that count even if only one text contains them

	skeleton []byte
	hashes   []uint64
	picked   []int32
}

// build makes the tables from packages, which are ordered by owner.
func build(packages []pack) ([]table, error) {
	l := &learner{}
	for i, p := range packages {
		if i == 0 || p.owner != packages[i-1].owner {
			l.owner()
		}
		if err := l.read(p); err != nil {
			return nil, fmt.Errorf("reading %s: %w", p.spec(), err)
		}
	}
	l.owner()
	for _, s := range phrases(phraseList) {
		l.boilerplate(s)
	}
	return l.tables(), nil
}

// read learns from one package.
func (l *learner) read(p pack) error {
	var failed error
	err := p.each(func(name, s string) {
		if p.name != spdx {
			l.learn(s)
			return
		}
		licence, err := licenceText(name, s)
		if err != nil {
			failed = err
		}
		l.boilerplate(licence)
	})
	if err == nil {
		err = failed
	}
	return err
}

// owner ends the packages of one owner. The packages of the next owner follow.
func (l *learner) owner() {
	l.grams.done()
	l.words.done()
	l.trigrams.left = maxOwner
}

// learn reads a text of the current owner.
func (l *learner) learn(s string) {
	l.hash(s)
	for _, at := range l.picked {
		l.grams.add(l.hashes[at])
	}
	l.words.learn(s)
	l.trigrams.learn(l.skeleton)
}

// boilerplate reads a text that is common in any context. It keeps the k-grams that winnowing can select, whatever
// text surrounds it. To find them, it adds maximal hashes at both ends, which are never selected.
func (l *learner) boilerplate(s string) {
	l.hash(s)
	if len(l.hashes) == 0 {
		return
	}
	edge := slices.Repeat([]uint64{math.MaxUint64}, gram.W-1)
	for _, at := range gram.Winnow(nil, slices.Concat(edge, l.hashes, edge), gram.W) {
		if i := int(at) - len(edge); i >= 0 && i < len(l.hashes) {
			l.always = append(l.always, l.hashes[i])
		}
	}
}

// hash computes the k-grams of a text.
func (l *learner) hash(s string) {
	l.skeleton = text.AppendLetters(l.skeleton[:0], s, nil)
	l.hashes = gram.Hashes(l.hashes[:0], l.skeleton)
	l.picked = gram.Winnow(l.picked[:0], l.hashes, gram.W)
}

func (l *learner) tables() []table {
	stops := distinct(append(l.grams.common(gramOwners), l.always...))
	words := l.words.common()
	return []table{
		{"stop.bin", []byte(model.NewFilter(stops, stopBits)), len(stops)},
		{"words.bin", []byte(model.NewFilter(words, wordBits)), len(words)},
		{"cost.bin", l.trigrams.costs(), n * n * n},
	}
}
