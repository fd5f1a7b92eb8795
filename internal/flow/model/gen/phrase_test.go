package main

import (
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/text"
)

func TestAPhraseExpandsToEveryChoice(t *testing.T) {
	for s, want := range map[string][]string{
		"plain":                {"plain"},
		"{a|b} c":              {"a c", "b c"},
		"{a|b} c {d|}":         {"a c d", "b c d", "a c ", "b c "},
		"# no\n\n one \n{t|T}": nil,
	} {
		got := expand(s)
		if want == nil {
			got, want = phrases(s), []string{"one", "t", "T"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestPhrasesAreLongEnoughToCount(t *testing.T) {
	for line := range strings.Lines(phraseList) {
		if depth := strings.Count(line, "{") - strings.Count(line, "}"); depth != 0 && line[0] != '#' {
			t.Errorf("the brace of a choice is not closed: %s", line)
		}
		all := phrases(line)
		long := slices.ContainsFunc(all, func(s string) bool { return len(text.AppendLetters(nil, s, nil)) >= gram.K })
		if len(all) > 0 && !long {
			t.Errorf("the phrase is shorter than a k-gram, so it has no effect: %s", line)
		}
		if len(all) > 3000 {
			t.Errorf("the phrase expands to %d texts: %s", len(all), line)
		}
	}
}
