package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/text"
)

const (
	shared  = "Every one of these packages greets the reader with this very same sentence, word by word.\n"
	private = "Only the harbour master's own package tells of seven herrings in a borrowed wheelbarrow.\n"
)

// packages returns packages that share a sentence. One of them also has a sentence that no other package has.
func packages(t *testing.T) []pack {
	t.Helper()
	var all []pack
	for i, owner := range []string{"a", "b", "c", "d"} {
		dir := t.TempDir()
		s := "about " + owner + "\n" + shared
		if i == 0 {
			s += private
		}
		if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
		all = append(all, pack{source{registry: "go", name: owner, owner: owner}, dir})
	}
	return all
}

func TestTextOfEnoughOwnersIsCommon(t *testing.T) {
	made, err := build(packages(t))
	if err != nil {
		t.Fatal(err)
	}
	stops := model.Filter(made[0].data)
	found := func(s string) bool {
		hashes := gram.Hashes(nil, text.AppendLetters(nil, s, nil))
		return slices.ContainsFunc(
			gram.Winnow(nil, hashes, gram.W),
			func(at int32) bool { return stops.Has(hashes[at]) },
		)
	}
	if !found(shared) || found(private) {
		t.Errorf("the common sentence: %v, want true; the private one: %v, want false", found(shared), found(private))
	}
	words := model.Filter(made[1].data)
	if !words.Has(model.Key([]byte("greets"))) || words.Has(model.Key([]byte("wheelbarrow"))) {
		t.Error("want greets known and wheelbarrow unknown")
	}
}

func TestTheSamePackagesMakeTheSameTables(t *testing.T) {
	all := packages(t)
	one, err := build(all)
	if err != nil {
		t.Fatal(err)
	}
	two, err := build(all)
	if err != nil {
		t.Fatal(err)
	}
	for i := range one {
		if !bytes.Equal(one[i].data, two[i].data) {
			t.Errorf("the table %s differs", one[i].name)
		}
	}
}

// All k-grams that winnowing selects from a phrase are stored, whatever text surrounds the phrase.
func TestBoilerplateIsCompleteInAnyContext(t *testing.T) {
	l := &learner{}
	l.boilerplate(shared)
	inside := gram.Hashes(nil, text.AppendLetters(nil, shared, nil))
	for _, around := range []string{"", "x", "A short word. ", private, licences[0] + private} {
		l.hash(around + shared + private + around)
		for _, at := range l.picked {
			h := l.hashes[at]
			if slices.Contains(inside, h) && !slices.Contains(l.always, h) {
				t.Errorf("after %q, winnowing selects a k-gram that is not stored", around)
			}
		}
	}
	if len(l.always) >= len(inside)/2 {
		t.Errorf("%d of %d k-grams are stored, want a selection", len(l.always), len(inside))
	}
}

func TestGeneratedFilesAreNotRead(t *testing.T) {
	for name, want := range map[string]bool{
		"README.md":               true,
		"src/index.ts":            true,
		"LICENSE":                 true,
		"pkg/doc.go":              true,
		"lib/module.py":           true,
		"vendor/a/b.go":           false,
		"dist/app.min.js":         false,
		"node_modules/x/index.js": false,
		"logo.png":                false,
		"testdata/x.txt":          false,
		"package-lock.json":       false,
	} {
		if got := wanted(name); got != want {
			t.Errorf("%s is read: %v", name, got)
		}
	}
	if written([]byte(strings.Repeat("function(a,b){return a+b};", 200))) || !written([]byte(shared)) {
		t.Error("want a text of long lines refused and a text of short lines accepted")
	}
}

func TestTheWordsOfCamelCaseAreLearned(t *testing.T) {
	v := &vocabulary{}
	v.learn("maxRetryCount user_name\nx86")
	for _, w := range []string{"maxretrycount", "max", "retry", "count", "user", "name"} {
		if !slices.Contains(v.words.own, model.Key([]byte(w))) {
			t.Errorf("%s is not learned", w)
		}
	}
	for _, w := range []string{"maxretry", "retrycount", "username"} {
		if !slices.Contains(v.pairs.own, model.Key([]byte(w))) {
			t.Errorf("the pair %s is not learned", w)
		}
	}
	if slices.Contains(v.pairs.own, model.Key([]byte("namex86"))) ||
		!slices.Contains(v.codes.own, model.Key([]byte("x86"))) {
		t.Error("want no pair across lines, and a word with a digit counted separately")
	}
}

func TestAKeyCounterCountsOwnersNotRepetitions(t *testing.T) {
	var c keyCounter
	for _, own := range [][]uint64{{1, 1, 1, 2}, {2, 3}, {2, 3, 3}} {
		for _, key := range own {
			c.add(key)
		}
		c.done()
	}
	if got := c.common(2); !slices.Equal(got, []uint64{2, 3}) {
		t.Errorf("two owners have %v in common, want 2 and 3", got)
	}
}
