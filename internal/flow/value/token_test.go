package value

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy/internal/cputime"
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/text"
)

func TestWhatIsAValue(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        class
	}{
		{"name", "Oda Brekkhus", classText},
		{"", "Oda Brekkhus", classNothing},
		{"company", "Brekkhus & Sønn AS", classText},
		{"", "INV-482219", classText},
		{"balance", "48210.70", classNumber},
		{"count", "120000", classNothing},
		{"email", "oda@post.example", classPersonal},
		{"", "oda@post.example", classPersonal},
		{"iban", "DE44 5001 0517 5407 3249 31", classPersonal},
		{"phone", "+47 917 204 1182", classPersonal},
		{"mobile", "0171 2204118", classPersonal},
		{"id", "cus_kF83jq0aLm2Zx7", classPointer},
		{"", "2f1c8a44-7f04-4c0e-9d3e-0a1b2c3d4e5f", classPointer},
		{"at", "2026-03-01T12:23:57Z", classPointer},
		{"day", "2026-03-01", classNothing},
		{"path", "src/main/java/App.java", classNothing},
		{"API_KEY", "kf83Jq0aLm2Zx7Tr", classKey},
		{"adminPassword", "Harbour#9xQ2", classKey},
		{"next_page_token", "kf83Jq0aLm2Zx7Tr", classNothing},
		{"", "kFa83JqM0aLmZ2ZxW7TrQe", classKey},
		{"code", "if (a) { return b[0]; }", classNothing},
	} {
		v := trimValue(c.value)
		got, ok := classify(c.name, v, skeletonOf(v), c.name != "")
		if !ok {
			got = classNothing
		}
		if got != c.want && (c.want != classNothing || got != classPointer) {
			t.Errorf("%s %q is of class %d, want %d", c.name, c.value, got, c.want)
		}
	}
}

func TestThePasswordInAnAddressIsASecret(t *testing.T) {
	v := holding(t, "DATABASE_URL=postgres://app:9xQ2vLm4Tz8wRk@db.internal:5432/app\n")
	if hits := sent(t, v, says("the code is 9xQ2vLm4Tz8wRk")); len(hits) == 0 {
		t.Error("the password in the URL is not found")
	}
}

func TestALongRecordIsSplit(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		b.WriteString("setting_" + string(rune('a'+i%26)) + ": 9" + strings.Repeat(string(rune('1'+i%9)), 5) + "7\n")
	}
	var s scanner
	s.text(b.String())
	held := map[uint32]int{}
	for _, tok := range s.tokens {
		if held[tok.record]++; held[tok.record] > maxRecordTokens {
			t.Fatalf("record %d has more than %d values", tok.record, maxRecordTokens)
		}
	}
}

var hostile = map[string]string{
	"commas":          "a,",
	"tabs":            "a\t",
	"lines of commas": "a,a,a,a\n",
	"digits":          "7",
	"grouped digits":  "123,",
	"quotes":          `"`,
	"quoted cells":    `","`,
	"names":           "a: b\n",
	"equals":          "a=",
	"words":           "ab1c2 ",
	"groups of four":  "1234 ",
	"plus":            "+4 ",
	"addresses":       "://a:b@",
	"pipes":           "|a",
	"borders":         "---\n",
	"accents":         "é\u0301",
	"one letter":      "a",
	"mixed":           "a1B2",
	"colons":          `":"`,
}

// The cost is linear in the length of the text.
func TestScanningAndFindingTakeLinearTime(t *testing.T) {
	secret := strings.Repeat("a1B2c", 400)
	cost := func(unit string, size int) time.Duration {
		doc := result(t, strings.Repeat(unit, size/len(unit)))
		r := []Reading{ReadingOf(AllLetters(&text.View{Text: doc.Parts[len(doc.Parts)-1].Text}), "")}
		v := &Values{}
		return cputime.Of(func() {
			v.Add(0, doc, []string{r[0].Text}, maxScanned, []Secret{{Value: secret}, {Value: "Kq8z" + secret}})
			v.Find(r, nil, everything, nil)
		})
	}
	for name, unit := range hostile {
		small, large := time.Hour, time.Hour
		for range 20 {
			small, large = min(small, cost(unit, 6<<10)), min(large, cost(unit, 60<<10))
			if large < 30*small || large < 30*time.Millisecond {
				break
			}
		}
		if large >= 30*small && large >= 30*time.Millisecond {
			t.Errorf("%s: 6 KB take %v, 60 KB %v", name, small, large)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, unit := range hostile {
		f.Add(strings.Repeat(unit, 3))
	}
	for _, s := range []string{customersCSV, customersJSON, customersTable, settings, "+47 ", "1,234.5", "DE44 5001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := text.Parse(text.Quote(s), "r")
		if err != nil {
			return
		}
		var v Values
		v.Add(0, doc, []string{s}, maxScanned, []Secret{{Value: s, Category: "c"}})
		v.AddPublic(doc)
		for _, h := range v.Find([]Reading{ReadingOf(AllLetters(&text.View{Text: s}), "")}, nil, everything, nil) {
			if h.Ref != 0 {
				t.Fatalf("a hit of source %d, but there is only one source", h.Ref)
			}
			for _, p := range h.Places {
				if p.Start < 0 || p.Start > p.End || p.End > len(s) {
					t.Fatalf("a hit is at %d to %d, beyond the %d bytes of the text", p.Start, p.End, len(s))
				}
			}
		}
	})
}

// A word of letters must not be a value, because the scanner skips such words early.
func TestAWordOfLettersIsNotAValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[A-Za-z]{1,70}`).Draw(t, "word")
		if len(word) >= LeastHash {
			if isWord(word) {
				t.Fatalf("%q may be a hash", word)
			}
			return
		}
		var s scanner
		if s.value("", word, false) || len(s.tokens)+len(s.keys) > 0 || !isWord(word) {
			t.Fatalf("%q: %v %v", word, s.tokens, s.keys)
		}
	})
}

// The scanner must not skip a number, a telephone number or an account number because of its first byte.
func TestGroupedValuesAreReadAtEveryFirstByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`[0-9A-Za-z .,€£¥$+_-][0-9A-Z .,€+-]{0,40}`).Draw(t, "line")
		unsigned := line
		for _, sign := range []string{"-", "+", "$", "€", "£", "¥"} {
			unsigned = strings.TrimPrefix(unsigned, sign)
		}
		if got := trimSign(line); got != unsigned {
			t.Fatalf("%q without its sign is %q, want %q", line, got, unsigned)
		}
		_, size := readNumber(unsigned)
		if !groupBegins[line[0]] && (phoneLength(line) > 0 || accountLength(line) > 0 || size > 0) {
			t.Fatalf("%q begins with a grouped value, but groupBegins lacks its first byte", line)
		}
	})
}

func TestAGroupedValueInASentenceIsFound(t *testing.T) {
	for group, want := range map[string]class{
		"DE44 5001 0517 5407 3249 31": classPersonal,
		"5500 0000 0000 0004":         classPersonal,
		"+47 917 204 1182":            classPersonal,
		"482,107.50":                  classNumber,
		"-482107":                     classNumber,
		"$482,107":                    classNumber,
		"€482,107":                    classNumber,
	} {
		var s scanner
		s.words("it says " + group + ", and no more")
		if len(s.tokens) != 1 || s.tokens[0].class != want {
			t.Errorf("%s: %+v, want one of class %d", group, s.tokens, want)
		} else if whole := table.HashSkeleton(skeletonOf(group)); want == classPersonal && s.tokens[0].hash != whole {
			t.Errorf("%s: only a part of the value is found", group)
		}
	}
}
