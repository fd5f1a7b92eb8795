package text_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mcpproxy/internal/text"
)

func ExampleNormalForm() {
	fmt.Println(text.NormalForm("ｐａｓｓ\u200bｗｏｒｄ"))
	// Output: password
}

func TestNormalForm(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"plain ASCII stays", "Hello, World\t\n", "Hello, World\t\n"},
		{"case is kept", "ÄÖ", "ÄÖ"},
		{"full width becomes ASCII", "ｇｈｐ＿", "ghp_"},
		{"zero-width characters go", "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg", "abcdefg"},
		{"bidirectional controls go", "a\u202eb\u2066c", "abc"},
		{"tag characters go", "a\U000e0041\U000e007f", "a"},
		{"variation selectors go", "a\ufe0fb\U000e0100c", "abc"},
		{"ligatures are opened", "ﬁle", "file"},
		{"accents are composed", "e\u0301", "é"},
		{"accents behind a joiner are composed", "e\u200d\u0301", "é"},
		{"mathematical letters become ASCII", "𝐤𝐞𝐲", "key"},
		{"other scripts stay", "пароль 密码", "пароль 密码"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := text.NormalForm(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// runes draws text with many characters that normalisation changes.
var runes = rapid.StringOfN(rapid.OneOf(
	rapid.RuneFrom(
		[]rune("ab e\u0301\u0323\u200b\u200d\u00ad\ufe0fｆﬁ각\u1100\u1161\u11a8ſΣς\U000e0041\ufdfa½"),
	),
	rapid.Rune(),
), 0, 20, -1)

func TestNormalizingTwiceChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := text.NormalForm(runes.Draw(t, "s"))
		if twice := text.NormalForm(once); twice != once {
			t.Fatalf("%+q became %+q", once, twice)
		}
	})
}

func TestInvisibleCharactersDoNotChangeTheNormalForm(t *testing.T) {
	invisible := rapid.RuneFrom([]rune("\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\ufe0f\U000e0020"))
	rapid.Check(t, func(t *rapid.T) {
		s := []rune(runes.Draw(t, "s"))
		at := rapid.IntRange(0, len(s)).Draw(t, "at")
		hidden := string(s[:at]) + string(invisible.Draw(t, "r")) + string(s[at:])
		if got, want := text.NormalForm(hidden), text.NormalForm(string(s)); got != want {
			t.Fatalf("%+q reads %+q, want %+q", hidden, got, want)
		}
	})
}

func TestFolded(t *testing.T) {
	for _, s := range []string{"Hello World", "  hello\n\tWORLD ", "ＨＥＬＬＯ\u00a0wor\u200bld"} {
		if got := text.Folded(s); got != "hello world" {
			t.Errorf("%q folds to %q", s, got)
		}
	}
}

// drawJSON draws a JSON value whose strings may contain JSON.
func drawJSON(t *rapid.T, depth int) any {
	kinds := 4
	if depth > 0 {
		kinds = 7
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	case 2, 3:
		return runes.Draw(t, "string")
	case 4:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "n"))
		for i := range list {
			list[i] = drawJSON(t, depth-1)
		}
		return list
	case 5:
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			m[runes.Draw(t, "key")] = drawJSON(t, depth-1)
		}
		return m
	}
	inner, err := json.Marshal(drawJSON(t, depth-1))
	if err != nil {
		t.Fatal(err)
	}
	return string(inner)
}

func TestJoinedAndSlicedViewsMapBackToTheirSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(drawJSON(t, 4))
		if err != nil {
			t.Fatal(err)
		}
		d, err := text.Parse(raw, "r")
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		j := text.Join(d.Views())
		next := 0 // where the next view begins
		for _, v := range d.Views() {
			if !strings.HasPrefix(string(j.Buf[next:]), v.Text+"\n\x00\n") {
				t.Fatalf("view %q of part %d is not at %d", v.How, v.Part, next)
			}
			for off := range len(v.Text) + 1 {
				if got, at := j.At(next + off); got != v || at != off {
					t.Fatalf("offset %d is %d of view %q, want %d of %q", next+off, at, got.Text, off, v.Text)
				}
			}
			next += len(v.Text) + len("\n\x00\n")
		}
		if next != len(j.Buf) {
			t.Fatalf("%d bytes more than the views have", len(j.Buf)-next)
		}
	})
}

func TestQuoteAlwaysGivesAReadableString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))
		d, err := text.Parse(text.Quote(s), "r")
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if utf8.ValidString(s) && d.Parts[0].Text != s {
			t.Fatalf("%q came back as %q", s, d.Parts[0].Text)
		}
	})
}
