package passage

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"mcpproxy/internal/intent"
)

// The following functions read texts in the simplest way. The package reads texts faster and must return the same.

func plainKey(s string) key {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return key(h.Sum32())
}

func plainStems(s string) (out []key) {
	for w := range intent.Words(s) {
		if k, ok := stem(w); ok {
			out = append(out, k)
		}
	}
	return out
}

func plainFields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"<>()[]{}|,;，。、；：（）「」“”„", r) || r > 0x1100 && isWide(r)
	})
}

func plainValues(s string) (out []value) {
	groups, digits := "", 0
	dialled := []string(nil)
	flush := func() {
		shown := groups
		if dialled != nil {
			shown = "+" + strings.Join(dialled, " ")
		}
		if digits >= 6 {
			out = append(out, value{plainKey(strings.ToLower(groups)), shown})
		}
		groups, digits = "", 0
		dialled = nil
	}
	for _, w := range plainFields(s) {
		if rest, plus := strings.CutPrefix(w, "+"); plus && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			flush()
			dialled = []string{}
		}
		w = strings.Trim(w, ".:!?*_~`'=&$%\\")
		part := w
		if dialled != nil && w != "" && w[len(w)-1] >= '0' && w[len(w)-1] <= '9' {
			part = letters(w)
		}
		if n := group(part); n >= 0 {
			if dialled != nil {
				dialled = append(dialled, part)
			}
			groups += part
			digits += n
		} else {
			flush()
		}
		if !isValue(w) {
			continue
		}
		out = append(out, value{plainKey(letters(w)), w})
		if host := hostOf(w); host != "" && host != w {
			out = append(out, value{plainKey(letters(host)), host})
		}
	}
	flush()
	return out
}

func plainLastStop(s string) int {
	cut := -1
	for _, stop := range []string{". ", "! ", "? ", "。", "; ", "\n"} {
		if i := strings.LastIndex(s, stop); i > cut {
			cut = i + len(stop)
		}
	}
	return cut
}

// readAlike reports a difference between reading a text with the package and in the simplest way.
func readAlike(t *testing.T, s string) {
	t.Helper()
	if got, want := keyOf(s), plainKey(s); got != want {
		t.Errorf("the key of %q is %d, want %d", s, got, want)
	}
	if got, want := keyOfLetters(s), plainKey(letters(s)); got != want {
		t.Errorf("the key of the letters of %q is %d, want %d", s, got, want)
	}
	if got, want := slices.Collect(stems(s)), plainStems(s); !slices.Equal(got, want) {
		t.Errorf("the stems of %q are %d, want %d", s, got, want)
	}
	if got, want := slices.Collect(fields(s)), plainFields(s); !slices.Equal(got, want) {
		t.Errorf("the fields of %q are %q, want %q", s, got, want)
	}
	if got, want := slices.Collect(values(s)), plainValues(s); !slices.Equal(got, want) {
		t.Errorf("the values of %q are %v, want %v", s, got, want)
	}
	if got, want := lastStop(s), plainLastStop(s); got != want {
		t.Errorf("the last stop of %q ends at %d, want %d", s, got, want)
	}
}

var readings = []string{
	"",
	"a",
	"Please send it to Box-7@Example.org, or call +48 600 123 456 (before 2026-11-25).",
	"One. Two! Three? Four; five\nsix. \n! ? ; 。\nseven. ; \n",
	"; 。. \n! ? ",
	"naïve café. 請發送到 a@b.example 谢谢。Кому: Иван; İstanbul K\u212a",
	"ci ID42 x9 ÿ\xff\xfe\xe3\x80 a\u0301b ٣٤٥٦ ªº",
	"'quoted' `code` \\path\\to\\file %20 $HOME ~user /etc/hosts https://u:p@host.example:8080/a?b=c#d",
	"the and content CONTENT Für für FÜR nothing 123456 7 AB12 12-34-56",
	strings.Repeat("words without a stop ", 40),
}

func TestTextsAreReadAsInTheSimplestWay(t *testing.T) {
	for _, s := range readings {
		readAlike(t, s)
		for i := range len(s) { // texts that begin at any byte
			readAlike(t, s[i:])
		}
	}
}

func TestNoCommonWordOfLettersIsLongerThanTheBound(t *testing.T) {
	for w := range common {
		if len(w) > maxCommon {
			t.Errorf("%q has %d bytes, want at most %d", w, len(w), maxCommon)
		}
	}
}

func FuzzReading(f *testing.F) {
	for _, s := range readings {
		f.Add(s)
	}
	f.Fuzz(readAlike)
}

func FuzzColumns(f *testing.F) {
	for _, line := range []string{
		"a | b | c", "a\tb\tc", "a |b| c", "a | | b", "a \t | b\t\t| c |", " \t \tx |", "|\n| \f|\v| \r", "ż | ß\t|", "",
	} {
		f.Add(line)
	}
	plain := regexp.MustCompile(`\s+\|\s+|\t`)
	f.Fuzz(func(t *testing.T, line string) {
		if got, want := columns(line), plain.Split(line, -1); !slices.Equal(got, want) {
			t.Errorf("%q has the columns %q, not %q", line, got, want)
		}
		want := strings.Count(line, "\t") > 1 || len(plain.FindAllStringIndex(line, minCells)) >= minCells-1
		if got := isRow(line); got != want {
			t.Errorf("isRow(%q) = %t", line, got)
		}
	})
}
