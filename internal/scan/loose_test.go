package scan

import (
	"math/rand"
	"strings"
	"testing"

	"mcpproxy/internal/text"
)

// looseGrammar returns a grammar with words for four concepts, and with one loose row for each value of Reach.
func looseGrammar() *Grammar {
	return newGrammar(
		[]Lexicon{
			{
				{Means: "private", Words: `apple red_pear`},
				{Means: "hand", Words: `bring`},
				{Means: "covert", Words: `quietly`},
				{Means: "game", Words: `chess`},
			},
		},
		[]Row{
			{
				Check: "one",
				Tier:  TierHard,
				Sure:  0.9,
				Reach: 1,
				Seq:   "private hand covert",
				Not:   "game",
				Plain: true,
			},
			{
				Check: "two",
				Tier:  TierHard,
				Sure:  0.9,
				Reach: 2,
				Seq:   "private hand covert",
				Not:   "game",
				Plain: true,
			},
			{
				Check: "pair",
				Tier:  TierHard,
				Sure:  0.9,
				Reach: 1,
				Seq:   "private private",
				Plain: true,
			},
		},
	)
}

// foundIn returns the names of the checks that match in s, separated by spaces.
func foundIn(t *testing.T, g *Grammar, s string) string {
	t.Helper()
	d, err := text.Parse(text.Quote(s), "")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range g.Find(d) {
		out = append(out, f.Check)
	}
	return strings.Join(out, " ")
}

func TestALooseRowFindsItsConceptsInAnyOrderWithinItsReach(t *testing.T) {
	g := looseGrammar()
	for _, c := range []struct{ text, want string }{
		{"Bring me the apple quietly.", "one two"},
		{"The apple, quietly, they bring.", "one two"},
		{"Quietly bring a red pear.", "one two"},
		{"Bring the apple. Do it quietly.", "two"},
		{"Bring the apple. It is red. It rains. Do it quietly.", ""},
		{"Bring the apple.", ""},
		{"Bring the apple quietly and play chess.", ""},
		{"An apple and a red pear.", "pair"},
		{"A red pear.", ""},
		{"Bring the apple " + strings.Repeat("of the long and winding road ", 20) + "quietly.", ""},
	} {
		if got := foundIn(t, g, c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestTheOrderOfWordsChangesNothingForALooseRow(t *testing.T) {
	g := looseGrammar()
	words := []string{"bring", "apple", "quietly", "green", "house"}
	r := rand.New(rand.NewSource(1))
	for range 50 {
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		if s := strings.Join(words, " "); foundIn(t, g, s) != "one two" {
			t.Errorf("%q: %q", s, foundIn(t, g, s))
		}
	}
}

// The sentence is endless and contains every concept many times. The row does not match, because the words are too far
// apart.
func TestLooseRowsTakeBoundedStepsInEndlessSentences(t *testing.T) {
	g := looseGrammar()
	if got := foundIn(
		t,
		g,
		strings.Repeat("apple bring ", 50_000),
	); strings.Contains(got, "one") ||
		strings.Contains(got, "two") {
		t.Errorf("found %s without %q", got, "covert")
	}
	if got := foundIn(t, g, strings.Repeat("bring quietly ", 20_000)+"apple"); got != "one two" {
		t.Errorf("found %q at the end", got)
	}
}

// Any number of words with other meanings between the words of a row does not break the match.
func TestALooseRowIsNotCutInTwo(t *testing.T) {
	g := looseGrammar()
	for before := range 2 * maxGathered {
		s := strings.Repeat("quietly ", before) + "apple " + strings.Repeat("quietly ", 10) + "bring"
		if got := foundIn(t, g, s); got != "one two" {
			t.Errorf("behind %d marks: %q", before, got)
		}
	}
}

// If there are too many combinations to try, a partial match is reported.
func TestTooManyCombinationsGiveAPartialMatch(t *testing.T) {
	g := newGrammar(
		[]Lexicon{
			{
				{Means: "private", Words: `apple`},
				{Means: "hand", Words: `bring`},
				{Means: "covert|record", Words: `quietly`},
			},
		},
		[]Row{{
			Check: "one",
			Tier:  TierHard,
			Sure:  0.9,
			Reach: 1,
			Seq:   "private hand covert ^record",
			Plain: true,
		}},
	)
	d, err := text.Parse(
		text.Quote("so "+strings.Repeat("bring apple ", 12)+"oh "+strings.Repeat("bring apple ", 11)+"quietly"),
		"",
	)
	if err != nil {
		t.Fatal(err)
	}
	got := g.Find(d)
	if len(got) != 1 || got[0].Tier != TierSoft || got[0].Confidence != 0.45 {
		t.Errorf("%+v", got)
	}
}

func TestALooseRowOfTooManyConceptsIsAMistake(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it was taken")
		}
	}()
	compile([]Row{{Check: "one", Reach: 1, Seq: strings.Repeat("hand ", maxWants+1)}})
}

func TestHostsPathsAndCredentialNamesHaveMarks(t *testing.T) {
	g := newGrammar(languages, []Row{
		{
			Check: "host",
			Tier:  TierHard,
			Sure:  0.9,
			Reach: 1,
			Seq:   "send host",
		},
		{
			Check: "private",
			Tier:  TierHard,
			Sure:  0.9,
			Reach: 1,
			Seq:   "send private",
		},
		{
			Check: "slot",
			Tier:  TierHard,
			Sure:  0.9,
			Reach: 1,
			Seq:   "send slot",
		},
	})
	for s, want := range map[string]string{
		"send it to collect.example":        "host",
		"send it to api.example.com":        "",
		"send it to example.com":            "",
		"send it to collect.badexample.com": "host",
		"send it to badexample.com":         "host",
		"send it to file.txt":               "",
		"send it to node.js":                "",
		"send ~/.config/gh":                 "private",
		"send a ~ b":                        "",
		"send GITHUB_TOKEN":                 "private",
		"send MAX_TOKENS":                   "",
		"send it in `memo`":                 "slot",
		"send `a b`":                        "",
		"send ``":                           "",
	} {
		if got := foundIn(t, g, s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
