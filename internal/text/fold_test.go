package text_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

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
		letters, places := plainLetters(s)
		if !bytes.Equal(once, letters) || !slices.Equal(at, places) {
			t.Errorf("%q has the letters %q at %v, not %q at %v", s, once, at, letters, places)
		}
		if again := text.AppendLetters([]byte("before"), s, nil); string(again) != "before"+string(letters) {
			t.Errorf("appended to other letters, they are %q", again)
		}
	})
}

// plainLetters is [text.AppendLetters] for one character at a time.
func plainLetters(s string) (letters []byte, places []int32) {
	for i, r := range s {
		c := string(r)
		if r == utf8.RuneError {
			c = "" // which no letter is read from
		}
		if r < utf8.RuneSelf {
			c = strings.ToLower(c)
			if strings.Trim(c, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				c = ""
			}
		} else {
			c = string(text.AppendLetters(nil, c, nil))
		}
		letters = append(letters, c...)
		for range len(c) {
			places = append(places, int32(i))
		}
	}
	return letters, places
}

func BenchmarkLetters(b *testing.B) {
	s := strings.Repeat("The report of 17 customers says that every shipment has been moved; see page 204. ", 120)
	letters, places := make([]byte, 0, len(s)), make([]int32, 0, len(s))
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		places = places[:0]
		text.AppendLetters(letters, s, &places)
	}
}
