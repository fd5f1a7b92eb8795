package detect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/cputime"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// own returns a detector with only these rules.
func own(t testing.TB, rules ...detect.Rule) func(raw string) (*text.Document, []detect.Finding) {
	t.Helper()
	d := detect.New(rules, "credit_card")
	return func(raw string) (*text.Document, []detect.Finding) {
		t.Helper()
		doc, err := text.Parse([]byte(raw), "r")
		if err != nil {
			t.Fatal(err)
		}
		found, err := d.Find(doc)
		if err != nil {
			t.Fatal(err)
		}
		return doc, found
	}
}

func TestKeywordsAreWholeWords(t *testing.T) {
	look := own(t, detect.Keywords([]string{"Project Falcon", "heron", "C++", "Ängström", "секрет", "a.b"}))
	for s, want := range map[string]string{
		"heron":                   "heron",
		"HERON":                   "HERON",
		"a heron.":                "heron",
		"(heron)":                 "heron",
		"heron\n":                 "heron",
		"the Project Falcon file": "Project Falcon",
		"herons":                  "",
		"theron":                  "",
		"heron_1":                 "",
		"heron2":                  "",
		"héron":                   "",
		"heroné":                  "",
		"项目heron":                 "",
		"in C++.":                 "C++",
		"C+++":                    "C++",
		"ängström":                "ängström",
		"ÄNGSTRÖM!":               "ÄNGSTRÖM",
		"СЕКРЕТ":                  "СЕКРЕТ",
		"секретно":                "",
		"a.b":                     "a.b",
		"axb":                     "",
		"he\u200bron":             "heron",
		"ｈｅｒｏｎ":                   "heron",
		"%68eron":                 "heron",
		"":                        "",
		"project":                 "",
		"falcon":                  "",
	} {
		_, found := look(quoted(s))
		got := ""
		if len(found) > 0 {
			got = found[0].Value
		}
		if got != want {
			t.Errorf("%q: found %q, want %q", s, got, want)
		}
	}
	if _, found := look(`{"heron": ["x", "heron"], "n": "{\"k\": \"heron\"}"}`); len(found) != 3 {
		t.Errorf("found %d: %+v", len(found), found)
	}
}

func TestAUsersOwnPattern(t *testing.T) {
	look := own(
		t,
		detect.Custom("employee_id", `\bEMP-[0-9]{6}\b`, mcpproxy.SeverityHigh),
		detect.Custom("low_one", `ZQ[0-9]{4}`, mcpproxy.SeverityLow),
	)
	doc, found := look(`{"a":"EMP-204817 and EMP-204818, EMP-2048190","b":"ZQ1207"}`)
	if len(found) != 3 || found[0].Value != "EMP-204817" || found[0].Path != "r.a" ||
		found[0].Rule.Category != "custom" {
		t.Fatalf("%+v", found)
	}
	if !found[0].Signal().Sensitive() || found[2].Signal().Sensitive() {
		t.Errorf("what is high is sensitive, what is low is not: %+v", found)
	}
	got := string(detect.NewMasker(found).JSON(doc, found))
	if strings.Contains(got, "204817") || strings.Contains(got, "ZQ1207") {
		t.Errorf("masked: %s", got)
	}
}

// A masked text shows no value in any view or encoding.
func TestMaskerHidesValuesInEveryDisguise(t *testing.T) {
	s := samples["github_token"].value
	found := []detect.Finding{{Rule: &detect.Rule{ID: "github_token"}, Value: s}}
	masker := detect.NewMasker(found)
	each := func(format string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	disguises := map[string]string{
		"plain":      s,
		"percent":    each("%%%02x"),
		"JSON":       each(`\u%04x`),
		"HTML":       each("&#%d;"),
		"hex":        each("%02x"),
		"codes":      strings.TrimSuffix(each("%d, "), ", "),
		"spaced":     strings.Join(strings.Split(s, ""), " "),
		"zero-width": strings.Join(strings.Split(s, ""), "\u200b"),
		"wide":       wide(s, 30),
		"in JSON":    `{"` + s + `":["` + s + `"]}`,
		"in quotes":  `"` + s + `"`,
		"twice":      s + s,
		"in itself":  s[:20] + s + s[20:],
	}
	for name, hidden := range disguises {
		for _, around := range []string{"%", "see % here", "a\n%\nb", "x=\"%\"", "[%]", "{\"k\": % oops"} {
			masked := masker.Text(strings.Replace(around, "%", hidden, 1))
			doc, err := text.Parse(text.Quote(masked), "r")
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range doc.Views() {
				if strings.Contains(v.Text, s) {
					t.Errorf("%s in %q: %s shows it: %q", name, around, v.How, masked)
					break
				}
			}
		}
	}
}

// Findings may overlap, contain each other, and repeat.
func TestMaskingOverlappingFindings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.StringOfN(rapid.RuneFrom([]rune("abcdef0123")), 20, 60, -1).Draw(t, "text")
		var found []detect.Finding
		for range rapid.IntRange(1, 5).Draw(t, "findings") {
			start := rapid.IntRange(0, len(whole)-8).Draw(t, "start")
			end := rapid.IntRange(start+6, min(start+20, len(whole))).Draw(t, "end")
			found = append(
				found,
				detect.Finding{
					Rule:  &detect.Rule{ID: "X"},
					Value: whole[start:end],
					Spans: []text.Span{{Part: 1, Start: start, End: end}},
				},
			)
		}
		doc, err := text.Parse([]byte(`{"k":`+quoted(whole)+`,"`+whole+`":[`+quoted("= "+whole)+`]}`), "r")
		if err != nil {
			t.Fatal(err)
		}
		masked := detect.NewMasker(found).JSON(doc, found)
		for _, f := range found {
			if strings.Contains(string(masked), f.Value) {
				t.Fatalf("%q is in %s", f.Value, masked)
			}
		}
	})
}

// Masking ten thousand findings takes linear time if they begin in different ways.
func TestMaskingManyFindingsTakesLinearTime(t *testing.T) {
	cost := func(n int) time.Duration {
		var found []detect.Finding
		var items []string
		for i := range n {
			value := fmt.Sprintf("%07d-%s", i*7919%10_000_000, mix(lower, 12))
			found = append(found, detect.Finding{Rule: &detect.Rule{ID: "x"}, Value: value})
			items = append(items, quoted(value))
		}
		doc, err := text.Parse([]byte("["+strings.Join(items, ",")+"]"), "r")
		if err != nil {
			t.Fatal(err)
		}
		doc.Views()
		return cputime.Of(func() {
			detect.NewMasker(found).JSON(doc, nil)
		})
	}
	// A busy machine slows single runs down, so the fastest of many counts.
	small, large := time.Hour, time.Hour
	for range 20 {
		small, large = min(small, cost(1000)), min(large, cost(10_000))
		if large < 30*small || large < 30*time.Millisecond {
			return
		}
	}
	t.Errorf("1000 findings take %v, 10,000 take %v", small, large)
}

func TestValuesSplitOverNeighbours(t *testing.T) {
	s := samples["github_token"].value
	letters := `"` + strings.Join(strings.Split(s, ""), `","`) + `"`
	for name, raw := range map[string]string{
		"two items":              `["` + s[:12] + `","` + s[12:] + `"]`,
		"two members":            `{"a":"` + s[:7] + `","b":"` + s[7:] + `","c":"(x)"}`,
		"eight items":            `["` + s[:5] + `","` + s[5:10] + `","` + s[10:15] + `","` + s[15:20] + `","` + s[20:25] + `","` + s[25:30] + `","` + s[30:35] + `","` + s[35:] + `"]`,
		"with text around":       `["please use ` + s[:12] + `","` + s[12:] + ` for that"]`,
		"content parts":          `{"content":[{"type":"text","text":"` + s[:12] + `"},{"type":"text","text":"` + s[12:] + `"}]}`,
		"characters":             `[` + letters + `]`,
		"in JSON in a string":    quoted(`["` + s[:12] + `","` + s[12:] + `"]`),
		"behind a very long one": `["` + strings.Repeat("long ", 1000) + s[:12] + `","` + s[12:] + `"]`,
	} {
		t.Run(name, func(t *testing.T) {
			doc, found := find(t, []byte(raw))
			if len(found) == 0 || found[0].Value != s {
				t.Fatalf("found %+v", found)
			}
			checkMasked(t, detect.NewMasker(found).JSON(doc, found), s)
		})
	}
	for name, raw := range map[string]string{
		"another word between": `["` + s[:12] + ` stop","` + s[12:] + `"]`,
		"too short to tell":    `["` + s[:2] + `","` + s[2:20] + `"]`,
	} {
		if _, found := find(t, []byte(raw)); len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
