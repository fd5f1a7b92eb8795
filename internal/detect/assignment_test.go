package detect

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy/internal/cputime"
	"mcpproxy/internal/text"
)

// assigned returns the assigned values in s, by name.
func assigned(s string) map[string]string {
	all := map[string]string{}
	for i := 0; i < len(s); i++ {
		if !operator[s[i]] {
			continue
		}
		if name, start, end := assignment(s, i); end-start >= minValue {
			all[string(letters(nil, name))] = s[start:end]
		}
	}
	return all
}

func TestATimeOfDayIsNoAssignment(t *testing.T) {
	for s, want := range map[string]int{
		"the password was rotated 08:12–08:16 UTC": 0,
		"the password was rotated at 8:12":         0,
		"PASSWORD_1:29fk3kd":                       1,
		"password 1:29fk3kd":                       1,
		"pass9:12":                                 0, // too short for any
	} {
		if got := assigned(s); len(got) != want {
			t.Errorf("%q assigns %v, want %d", s, got, want)
		}
	}
}

func TestANameHasRemarksAndLettersOfAnyLanguage(t *testing.T) {
	for s, want := range map[string]string{
		"token (prod): v4lue-0f_it":        "token",
		"f(token): v4lue-0f_it":            "token",
		"contraseña: v4lue-0f_it":          "contraseña",
		"das neue Paßwort: v4lue-0f_it":    "dasneuepaßwort",
		"checksum/secret: v4lue-0f_it":     "",
		"checksum/secret (a): v4lue-0f_it": "",
		"run/secret: v4lue-0f_it":          "secret",
	} {
		got := assigned(s)
		if want == "" && len(got) > 0 || want != "" && got[want] != "v4lue-0f_it" {
			t.Errorf("%q assigns %v, want the name %q", s, got, want)
		}
	}
}

func TestAssignmentsOfEverySpelling(t *testing.T) {
	const value = "v4lue-0f_it"
	for name, s := range map[string]string{
		"an equals sign":                `the_name=v4lue-0f_it`,
		"with spaces":                   `the_name = v4lue-0f_it`,
		"in quotes":                     `the_name = "v4lue-0f_it"`,
		"in single quotes":              `the_name='v4lue-0f_it';`,
		"in backquotes":                 "the_name := `v4lue-0f_it`",
		"a colon":                       `the_name: v4lue-0f_it`,
		"a colon in quotes":             `the_name: "v4lue-0f_it",`,
		"a JSON member":                 `{"the_name":"v4lue-0f_it"}`,
		"a JSON member with spaces":     `{ "the_name" : "v4lue-0f_it" }`,
		"a JSON member in a string":     `{\"the_name\":\"v4lue-0f_it\"}`,
		"an arrow":                      `'the_name' => 'v4lue-0f_it',`,
		"Go":                            `the_name := "v4lue-0f_it"`,
		"a default":                     `env.the_name || "v4lue-0f_it"`,
		"another default":               `env.the_name ?? 'v4lue-0f_it'`,
		"a default without spaces":      `the_name||"v4lue-0f_it"`,
		"a header":                      `curl -H "the-name: v4lue-0f_it" https://x`,
		"an option":                     `run --the-name v4lue-0f_it --other`,
		"an option in quotes":           `run --the-name "v4lue-0f_it"`,
		"an option with an equals sign": `run --the-name=v4lue-0f_it`,
		"a call":                        `setenv("the_name", "v4lue-0f_it")`,
		"a call in single quotes":       `os.putenv('the_name','v4lue-0f_it')`,
		"an element":                    `<the_name>v4lue-0f_it</the_name>`,
		"an element in lines":           "<the_name>\n  v4lue-0f_it\n</the_name>",
		"an attribute":                  `<x the_name="v4lue-0f_it"/>`,
		"YAML":                          "the_name: v4lue-0f_it\nother: x",
		"a YAML block":                  "the_name: |\n  v4lue-0f_it",
		"an index":                      `config["the_name"] = "v4lue-0f_it"`,
		"a member":                      `config.the_name = "v4lue-0f_it"`,
		"a query":                       `https://x/?a=b&the_name=v4lue-0f_it&c=d`,
		"a line end of Windows":         "the_name=v4lue-0f_it\r\nx",
		"the end of a sentence":         `the_name: v4lue-0f_it.`,
		"a shell's export":              `export the_name=v4lue-0f_it`,
		"an assignment behind another":  `a=bbbb;the_name=v4lue-0f_it;c=dddd`,
		"an e-mail's quotation":         "> the_name: v4lue-0f_it",
	} {
		found := false
		for name, got := range assigned(s) {
			found = found || got == value && strings.HasSuffix(name, "thename")
		}
		if !found {
			t.Errorf("%s: not found in %q: %v", name, s, assigned(s))
		}
	}
}

func TestTextsThatAreNoAssignments(t *testing.T) {
	for _, s := range []string{"", "=", ":", "a=", "=b", `a="`, `a=""`, "a == ", "--", "--a", "--ab ", "-- value of it", "a ?? b", "a || b", `"a`, ">", "=>", "->", "a,b,c,d", "a=\n\n\nvalue", "x ? yes : "} {
		if got := assigned(s); len(got) > 0 {
			t.Errorf("%q assigns %v", s, got)
		}
	}
}

func TestAssignmentsAreReadInAnyText(t *testing.T) {
	signs := rapid.StringOf(rapid.RuneFrom([]rune("ab1 \t\n\r\"'`=:>,-|?~([{\\@}])<;é\u200b")))
	rapid.Check(t, func(t *rapid.T) {
		s := signs.Draw(t, "s")
		for i := 0; i < len(s); i++ {
			if !operator[s[i]] {
				continue
			}
			if _, start, end := assignment(s, i); start < 0 || end > len(s) || start > end {
				t.Fatalf("%q at %d: %d to %d", s, i, start, end)
			}
		}
		from, to := trimmed(s)
		if from < 0 || from > to || to > len(s) {
			t.Fatalf("%q: %d to %d", s, from, to)
		}
	})
}

func TestAssignmentsTakeLinearTime(t *testing.T) {
	n := newNames([]Rule{{ID: "x", Names: []string{"secret", "my key of it"}, Value: `[a-z0-9]{8,64}`}})
	for name, unit := range map[string]string{
		"equals":      "a=",
		"colons":      "::::",
		"hyphens":     "--a ",
		"quotes":      `"a",`,
		"long":        "--" + strings.Repeat("a", 60) + " ",
		"open quotes": `a="`,
		"bars":        `||"`,
		"names":       "secretsecretmykeyofit=",
		"dots":        "a=...",
		"values":      "secret=" + strings.Repeat("a", 700) + "=",
	} {
		cost := func(size int) time.Duration {
			v := viewOf(strings.Repeat(unit, size/len(unit)))
			best := time.Hour
			for range 3 {
				best = min(best, cputime.Of(func() {
					n.lookup().find(nil, v, "")
				}))
			}
			return best
		}
		if small, large := cost(20<<10), cost(200<<10); large > 40*small && large > 100*time.Millisecond {
			t.Errorf("%s: 20 KB take %v, 200 KB %v", name, small, large)
		}
	}
}

func TestShapesFitWhateverTheirPatternMatches(t *testing.T) {
	patterns := map[string]bool{}
	for _, r := range Rules() {
		if r.Value != "" {
			patterns[r.Value] = true
		}
	}
	for _, p := range []string{`a{0}b`, `(?:ab|c)*`, `[^\s]{3,5}`, `(?i)ABC-[a-z]+`, `é+|ü`, `[[:^ascii:]]{1,3}`, `(a|bc|def){2,3}x?`, `(?s).{2}`, `\x{1F600}?z`, `(?:)`, `[^a]`, `\PL`} {
		patterns[p] = true
	}
	for p := range patterns {
		shape, whole := newValueShape(p), regexp.MustCompile(`^(?:`+p+`)$`)
		draw := rapid.StringMatching(p)
		rapid.Check(t, func(t *rapid.T) {
			s := draw.Draw(t, "value")
			if whole.MatchString(s) && !shape.fits(s) {
				t.Fatalf("%q matches %q, whose shape it does not fit: %d to %d bytes", s, p, shape.least, shape.most)
			}
		})
	}
}

func TestShapesRuleOutValuesThatCannotMatch(t *testing.T) {
	for _, c := range []struct{ pattern, value string }{
		{`[a-f0-9]{32}`, strings.Repeat("a", 31)}, {`[a-f0-9]{32}`, strings.Repeat("a", 33)}, {`[a-f0-9]{32}`, strings.Repeat("g", 32)},
		{`[a-z]+`, ""}, {`[a-z]+`, "A"}, {`(`, "x"}, {`ab|abc`, "a"}, {`ab|abc`, "abcc"}, {`[a-z]{4}`, "é12"},
	} {
		if newValueShape(c.pattern).fits(c.value) {
			t.Errorf("%q fits the shape of %q", c.value, c.pattern)
		}
	}
}

func TestNamesAreFoundInNames(t *testing.T) {
	rules := []Rule{
		{ID: "one", Names: []string{"adafruit"}, Value: "x"},
		{ID: "words", Names: []string{"datadog app"}, Value: "x"},
		{
			ID:       "not",
			Names:    []string{"token"},
			NotNames: []string{"public", "tokenid"},
			Value:    "x",
		},
		{ID: "prefix", Names: []string{"ada"}, Value: "x"},
	}
	l := newNames(rules).lookup()
	for name, want := range map[string]string{
		"ADAFRUIT_IO_KEY":                  "one prefix",
		"adafruitKey":                      "one prefix",
		"my.ada-fruit key":                 "one prefix",
		"adafrui":                          "prefix",
		"fruit":                            "",
		"DATADOG_APP_KEY":                  "words",
		"app datadog":                      "",
		"datadogdatadog x app":             "words",
		"datadog":                          "",
		"token":                            "not",
		"public_token":                     "",
		"token_id":                         "",
		"TOKEN":                            "not",
		"tok\u200ben":                      "not",
		"ｔｏｋｅｎ":                            "not",
		"":                                 "",
		"ключ":                             "",
		"тoken":                            "not",
		strings.Repeat("x", 500) + "token": "not",
		"token" + strings.Repeat("x", 500): "",
	} {
		got := map[string]bool{}
		for _, r := range l.of(name) {
			got[r.ID] = true
		}
		wanted := strings.Fields(want)
		if len(got) != len(wanted) {
			t.Errorf("%q: %v, want %q", name, got, want)
		}
		for _, id := range wanted {
			if !got[id] {
				t.Errorf("%q: %v, want %q", name, got, want)
			}
		}
	}
}

func TestHeadsAreThePrefixesOfPatterns(t *testing.T) {
	h := newHeads([]Rule{
		{Pattern: `\b(ghp_[A-Za-z0-9]{36})\b`}, {Pattern: `\bAKIA[A-Z]{16}`}, {Pattern: `(?:xoxb|xapp)-[0-9]+`},
		{Pattern: `(?i)bearer [a-z]+`}, {Pattern: `[a-z]{4}secret`}, {Pattern: `-----BEGIN`}, {Pattern: `(`},
	})
	for _, s := range []string{"ghp", "AKI", "xox", "xap", "---"} {
		if !h[s] {
			t.Errorf("no head %q in %v", s, h)
		}
	}
	for _, s := range []string{"bea", "BEA", "sec", ""} {
		if h[s] {
			t.Errorf("a head %q", s)
		}
	}
	for s, want := range map[string]int{
		"":          -1,
		"gh":        -1,
		"ghp":       0,
		"use ghp_1": 4,
		"ghp_ x":    -1,
		"xghp":      1,
		"a\"AKIA":   2,
		"ghp-AKI":   0,
		"é ghp":     3,
	} {
		if got := h.begin(s); got != want {
			t.Errorf("%q begins at %d, want %d", s, got, want)
		}
	}
}

// viewOf returns the first view of a text.
func viewOf(s string) *text.View {
	d, err := text.Parse(text.Quote(s), "")
	if err != nil {
		panic(err)
	}
	return d.Views()[0]
}
