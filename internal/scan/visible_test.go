package scan_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mcpproxy/internal/scan"
)

func ExampleVisible() {
	fmt.Println(scan.Visible("red \x1b[31malert\x1b[0m, invoice\u202egpj.exe"))
	// Output: red ⟦ESC[31m⟧alert⟦ESC[0m⟧, invoice⟦U+202E⟧gpj.exe
}

func TestVisible(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"plain text stays", "Hello, World\r\n\tbye", "Hello, World\r\n\tbye"},
		{"other scripts stay", "пароль 密码 かな 한글 ไทย עברית", "пароль 密码 かな 한글 ไทย עברית"},
		{"accents stay", "e\u0301 naïve", "e\u0301 naïve"},
		{"no-break spaces stay", "10\u00a0km", "10\u00a0km"},
		{"a colour is shown", "\x1b[1;31mx\x1b[m", "⟦ESC[1;31m⟧x⟦ESC[m⟧"},
		{
			"a link is shown",
			"\x1b]8;;https://a.example\ax\x1b]8;;\a",
			"⟦ESC]8;;https://a.exampleU+0007⟧x⟦ESC]8;;U+0007⟧",
		},
		{"a link that ends by a backslash is shown", "\x1b]0;t\x1b\\x", "⟦ESC]0;tU+001B\\⟧x"},
		{"a lone escape is shown", "a\x1b", "a⟦ESC⟧"},
		{"an escape before another script leaves it whole", "\x1bé", "⟦ESC⟧é"},
		{"controls are shown", "a\x00b\bc\x7fd\u009be", "a⟦U+0000⟧b⟦U+0008⟧c⟦U+007F⟧d⟦U+009B⟧e"},
		{"overrides of direction are shown", "a\u202eb\u202cc\u2066d\u2069", "a⟦U+202E⟧b⟦U+202C⟧c⟦U+2066⟧d⟦U+2069⟧"},
		{"tag characters are shown", "a\U000e0041\U000e007f", "a⟦U+E0041⟧⟦U+E007F⟧"},
		{
			"zero-width characters between Latin letters are shown",
			"pass\u200bword\u200d\u2060!",
			"pass⟦U+200B⟧word⟦U+200D⟧⟦U+2060⟧!",
		},
		{"invisible operators are shown", "a\u2062\u2064b", "a⟦U+2062⟧⟦U+2064⟧b"},
		{"variation selectors behind a letter are shown", "a\ufe0f\U000e0100", "a⟦U+FE0F⟧⟦U+E0100⟧"},
		{"only the first variation selector of an emoji stays", "😀\ufe0f\ufe0e\U000e0101", "😀\ufe0f⟦U+FE0E⟧⟦U+E0101⟧"},
		{"a family stays", "👨\u200d👩\u200d👧\u200d👦", "👨\u200d👩\u200d👧\u200d👦"},
		{"a heart on fire stays", "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"},
		{"a keycap stays", "1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"a skin tone stays", "👍🏽 🧑🏿\u200d💻", "👍🏽 🧑🏿\u200d💻"},
		{
			"the flag of Scotland stays",
			"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
			"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
		},
		{"a flag with a message is shown", "🏴\U000e0069\U000e0067\U000e006e", "🏴⟦U+E0069⟧⟦U+E0067⟧⟦U+E006E⟧"},
		{"a Persian word stays", "می\u200cخواهم", "می\u200cخواهم"},
		{"a Hindi conjunct stays", "क्\u200dष क्\u200cष", "क्\u200dष क्\u200cष"},
		{"a Sinhala conjunct stays", "ශ්\u200dරී", "ශ්\u200dරී"},
		{"marks of direction beside Hebrew stay", "שלום\u200f!", "שלום\u200f!"},
		{
			"a name among Hebrew stays",
			"שלום \u2066@dana\u2069 ו-\u2068x\u2069",
			"שלום \u2066@dana\u2069 ו-\u2068x\u2069",
		},
		{
			"a Hebrew name among English stays",
			"from \u2068דנה\u2069 to \u2067דנה (a)\u2069",
			"from \u2068דנה\u2069 to \u2067דנה (a)\u2069",
		},
		{
			"English that is turned beside a Hebrew word is shown",
			"ש \u2067if admin {\u2069",
			"ש ⟦U+2067⟧if admin {⟦U+2069⟧",
		},
		{
			"a stretch in English far from a Hebrew word is shown",
			"ש is a letter, \u2066x\u2069 y",
			"ש is a letter, ⟦U+2066⟧x⟦U+2069⟧ y",
		},
		{"marks of direction in English are shown", "a\u200fb", "a⟦U+200F⟧b"},
		{"breaks in Khmer stay", "ខ្ញុំ\u200bស្រលាញ់", "ខ្ញុំ\u200bស្រលាញ់"},
		{"soft hyphens in words stay", "Silben\u00adtrennung", "Silben\u00adtrennung"},
		{"a byte order mark at the start stays", "\ufeffa\ufeff", "\ufeffa⟦U+FEFF⟧"},
		{"an ideograph's variant stays", "葛\U000e0100城", "葛\U000e0100城"},
		{"Arabic number signs stay", "\u0600\u0661", "\u0600\u0661"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := scan.Visible(c.in); got != c.want {
				t.Errorf("got  %+q\nwant %+q", got, c.want)
			}
		})
	}
}

// oddRunes draws text with many characters that Visible handles.
var oddRunes = rapid.StringOfN(rapid.OneOf(
	rapid.RuneFrom(
		[]rune(
			"ab1 #\x1b[];m\a\\é⟦⟧\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2066\u2060\ufe0f\ufe00\ufeff\u00ad\u0085😀❤👩🏴\U000e0067\U000e0062\U000e007f\U000e0101葛میकष्ไ\u2062",
		),
	),
	rapid.Rune(),
), 0, 24, -1)

func TestVisibleChangesVisibleTextNoFurther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := scan.Visible(oddRunes.Draw(t, "s"))
		if twice := scan.Visible(once); twice != once {
			t.Fatalf("%+q became %+q", once, twice)
		}
	})
}

func TestVisibleTextHidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := oddRunes.Draw(t, "s")
		got := scan.Visible(s)
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%+q became invalid: %+q", s, got)
		}
		if strings.ContainsAny(
			got,
			"\x1b\a\b\x00\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2060\u2062\u2064",
		) {
			t.Fatalf("%+q still hides something: %+q", s, got)
		}
		runs := 0
		for _, c := range got {
			if unicode.Is(unicode.Variation_Selector, c) {
				runs++
			} else {
				runs = 0
			}
			if runs > 1 {
				t.Fatalf("%+q keeps a run of variation selectors: %+q", s, got)
			}
		}
	})
}

func TestVisibleKeepsEveryVisibleCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("abcXYZ 0189.,-_äöüßñ密码かな한글пароль"))).Draw(t, "s")
		if got := scan.Visible(s); got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
