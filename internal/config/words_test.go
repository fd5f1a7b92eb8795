package config

import (
	"slices"
	"strings"
	"testing"
)

func TestACommandIsSplitByPlainRules(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"blanks separate words":                        {" op  read\top://a/b/c ", []string{"op", "read", "op://a/b/c"}},
		"single quotes keep everything":                {`a 'b  "c" \d'`, []string{"a", `b  "c" \d`}},
		"double quotes keep blanks":                    {`a "b  'c'"`, []string{"a", "b  'c'"}},
		"a backslash escapes within double quotes":     {`a "b\"c\\d\e"`, []string{"a", `b"c\d\e`}},
		"a backslash elsewhere is a character":         {`C:\bin\op.exe read`, []string{`C:\bin\op.exe`, "read"}},
		"quotes in a word belong to it":                {`a --name='b c'd`, []string{"a", "--name=b cd"}},
		"an empty argument is one":                     {`a "" ''`, []string{"a", "", ""}},
		"nothing is expanded":                          {`a $HOME * ~ $(b) a;b`, []string{"a", "$HOME", "*", "~", "$(b)", "a;b"}},
		"a sign of the shell in quotes is an argument": {`jq '|' ">"`, []string{"jq", "|", ">"}},
	} {
		got, err := words(c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestACommandThatCannotBeSplitSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		"":           "is empty",
		"  ":         "is empty",
		`"" a`:       "is empty",
		`a 'b`:       "unclosed quote '",
		`a "b\"`:     `unclosed quote "`,
		"a | b":      "| is for a shell",
		"a && b":     "&& is for a shell",
		"a >":        "> is for a shell",
		"a\x00b":     "NUL byte",
		"a 'b\x00c'": "NUL byte",
	} {
		if got, err := words(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// FuzzWords splits arbitrary texts. Words that are quoted and joined must be split into the same words again.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"op read op://a/b", `a 'b "c' "d\"e\\"`, `"`, "a | b", "a '' b", "\\", "a\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := words(text)
		if err != nil {
			return
		}
		quoted := make([]string, len(all))
		for i, word := range all {
			quoted[i] = quoteWord(word)
		}
		again, err := words(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(all, again) {
			t.Fatalf("%q became %q, then %q: %v", text, all, again, err)
		}
	})
}
