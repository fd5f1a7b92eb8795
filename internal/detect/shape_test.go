package detect

import (
	"regexp/syntax"
	"strings"
	"testing"

	"mcpproxy/internal/text"
)

func TestAPatternForTheSetHasNoHighUpperBounds(t *testing.T) {
	for pattern, want := range map[string]string{
		`ghp_[a-z]{36,255}`:       `ghp_[a-z]{36,}`,
		`a(?:b{2,90}c{1,3}){0,9}`: `a(?:b{2,}c{1,3}){0,}`,
		`a{4}b{2,5}`:              ``,
		`a*?b{3,}`:                ``,
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if wider := widen(re); wider != (want != "") || wider && re.String() != want {
			t.Errorf("%s: widened to %s, %v; want %q", pattern, re, wider, want)
		}
	}
}

func TestWhatOnlyTheWiderPatternMatchesIsNoSecretAndNoError(t *testing.T) {
	d := New([]Rule{{ID: "short", Pattern: `\bkey-([a-z]{4,9})\b`}})
	for value, want := range map[string]int{"key-abcdef": 1, "key-abcdefabcdefabcdef": 0} {
		doc, err := text.Parse(text.Quote(value), "result")
		if err != nil {
			t.Fatal(err)
		}
		found, err := d.Find(doc)
		if err != nil || len(found) != want {
			t.Errorf("%s: found %d, %v; want %d", value, len(found), err, want)
		}
	}
}

func TestAMatcherThatFailsWithoutAWordIsNoticed(t *testing.T) {
	r := Rule{ID: "key", Pattern: `\bkey-([a-z]{4,90})\b`}
	s, _, err := newShape(&r)
	if err != nil {
		t.Fatal(err)
	}
	for buf, want := range map[string]bool{"key-abcdef": true, "key-" + strings.Repeat("a", 91): false} {
		if missed, err := s.missed([]byte(buf)); err != nil || missed != want {
			t.Errorf("%.20s: missed %v, %v; want %v", buf, missed, err, want)
		}
	}
}

func TestAWidenedPatternIsEdited(t *testing.T) {
	for pattern, want := range map[string]string{
		`(?i)key[^x]{0,40}`:     `(?i)key[^x]{0,}`,
		`a{1,9}?b{2,5}`:         `a{1,}?b{2,5}`,
		`(?P<v>[a-z]{16,64})\b`: `(?P<v>[a-z]{16,})\b`,
		`\{1,9}a{1,9}`:          `\{1,9\}a{1,}`, // the first braces are characters, so the pattern is written anew
		`[{1,9}]b{2,9}`:         `[,19\{\}]b{2,}`,
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if !widen(re) {
			t.Errorf("%s is not widened", pattern)
		}
		if got := widened(pattern, re); got != want {
			t.Errorf("%s: the set gets %s, want %s", pattern, got, want)
		}
	}
}

// Formatting a pattern from its syntax tree takes milliseconds. Every start of the program would do this for every
// rule.
func TestNoRuleIsWrittenAnew(t *testing.T) {
	read := 0
	for _, r := range Rules() {
		re, err := syntax.Parse(r.Pattern, syntax.Perl)
		if r.Pattern == "" || err != nil || !widen(re) {
			continue
		}
		read++
		edited, err := syntax.Parse(widened(r.Pattern, re), syntax.Perl)
		if err != nil || !edited.Equal(re) {
			t.Errorf("%s: the set gets another pattern, %v", r.ID, err)
		}
		if widened(r.Pattern, re) == re.String() && strings.Contains(r.Pattern, "[^") {
			t.Errorf("%s: the pattern is written anew", r.ID)
		}
	}
	if read < 10 {
		t.Errorf("only %d rules were widened", read)
	}
}
