package text_test

import (
	"testing"

	"mcpproxy/internal/text"
)

func TestLettersAreWhatAReaderRemembers(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"case, space and punctuation go":      {"Hello,  World!\n42", "helloworld42"},
		"accents go":                          {"Ångström café", "angstromcafe"},
		"combining marks go":                  {"e\u0301a\u0300", "ea"},
		"zero-width characters go":            {"se\u200bcr\u2060et\ufeff", "secret"},
		"compatibility forms are undone":      {"ｆｕｌｌ ﬁ ①", "fullfi1"},
		"look-alikes become Latin, each":      {"раураl", "paypal"}, // Cyrillic except the last letter
		"digits of other scripts are digits":  {"٤٢", "42"},
		"other scripts are kept, folded":      {"Жук 東京", "жyk東京"},
		"emoji and symbols go":                {"a🙂b†", "ab"},
		"invalid bytes go":                    {"a\xff\xfeb", "ab"},
		"tag characters and selectors vanish": {"a\U000e0041\ufe0fb", "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			var at []int32
			got := string(text.AppendLetters(nil, c.in, &at))
			if got != c.want {
				t.Errorf("%q: got %q, want %q", c.in, got, c.want)
			}
			if len(at) != len(got) {
				t.Fatalf("%d places for %d bytes", len(at), len(got))
			}
			for i := 1; i < len(at); i++ {
				if at[i] < at[i-1] || int(at[i]) >= len(c.in) {
					t.Fatalf("places %v do not lead back into %q", at, c.in)
				}
			}
			if again := string(text.AppendLetters(nil, got, nil)); again != got {
				t.Errorf("folding twice gives %q", again)
			}
		})
	}
}

func FuzzLetters(f *testing.F) {
	f.Add("Hello, Wörld ①")
	f.Add("\xff\u200bа")
	f.Fuzz(func(t *testing.T, s string) {
		var at []int32
		once := text.AppendLetters(nil, s, &at)
		if len(at) != len(once) {
			t.Fatalf("%d places for %d bytes", len(at), len(once))
		}
	})
}
