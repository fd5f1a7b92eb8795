package personal

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A personalCase is one line of testdata/cases: a text, and the value that its rule must find in it, or "" if it must
// find nothing.
type personalCase struct {
	rule, text, value string
}

// loadPersonal reads the blocks of testdata/cases. A block is the id of a rule and lines of the form "hit text with a
// «value»" and "miss text". Macros keep numbers that may belong to somebody out of the files. {fix:12345?} is
// completed to a valid number, {bad:12345?} to an invalid one. {iban:DE??…} gets its check digits, {coin:btc1} is a
// made-up address, and {coinbad:btc1} an invalid one.
func loadPersonal(t testing.TB) []personalCase {
	t.Helper()
	files, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	var cases []personalCase
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rule := ""
		for lines := bufio.NewScanner(f); lines.Scan(); {
			line := strings.TrimSpace(lines.Text())
			word, text, _ := strings.Cut(line, " ")
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case word == "hit" || word == "miss":
				text = expandMacros(t, rule, strings.ReplaceAll(strings.TrimSpace(text), `\n`, "\n"))
				value := ""
				if word == "hit" {
					before, rest, open := strings.Cut(text, "«")
					inside, after, closed := strings.Cut(rest, "»")
					if !open || !closed {
						t.Fatalf("%s: %q has no «value»", name, line)
					}
					value, text = inside, before+inside+after
				}
				cases = append(cases, personalCase{rule, text, value})
			default:
				rule = word
			}
		}
		f.Close()
	}
	return cases
}

// expandMacros replaces the macros of a text.
func expandMacros(t testing.TB, rule, text string) string {
	for {
		start := strings.IndexByte(text, '{')
		if start < 0 {
			return text
		}
		size := strings.IndexByte(text[start:], '}')
		if size < 0 {
			t.Fatalf("%s: %q has a macro without an end", rule, text)
		}
		name, body, _ := strings.Cut(text[start+1:start+size], ":")
		value, ok := "", false
		switch name {
		case "fix":
			value, ok = complete(rule, body, true)
		case "bad":
			value, ok = complete(rule, body, false)
		case "iban":
			value, ok = completeIBAN(body)
		case "coin":
			value, ok = newAddress(body)
		case "coinbad":
			value, ok = newAddress(body)
			value = spoil(value)
		}
		if !ok {
			t.Fatalf("%s: nothing completes %q", rule, body)
		}
		text = text[:start] + value + text[start+size+1:]
	}
}

// complete replaces every '?' of body so that the check of the rule accepts the result, or rejects it.
func complete(rule, body string, good bool) (string, bool) {
	x := personalData()
	i, ok := x.byID[rule]
	if !ok {
		return "", false
	}
	return completeBy(body, func(value string) bool {
		r := &textReader{text: value}
		id := r.squeeze(0, len(value))
		g := right
		if check := x.kinds[i].check; check != nil {
			g = check(id)
		}
		return good == (g == right) && (good || g == wrong)
	})
}

// completeBy tries digits and letters for every '?' until ok returns true.
func completeBy(body string, ok func(string) bool) (string, bool) {
	at := strings.LastIndexByte(body, '?')
	if at < 0 {
		return body, ok(body)
	}
	for _, c := range "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		if value, found := completeBy(body[:at]+string(c)+body[at+1:], ok); found {
			return value, true
		}
	}
	return "", false
}

// completeIBAN sets the two check digits after the country.
func completeIBAN(body string) (string, bool) {
	return completeBy(body, func(value string) bool {
		id := (&textReader{text: value}).squeeze(0, len(value))
		return isNumber(id[2]) && isNumber(id[3]) && mod97(slices.Concat(id[4:], id[:4])) == 1
	})
}

// describe lists the findings.
func describe(text string, hits []Hit) string {
	var out []string
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %q %.2f %s", h.Rule.ID, text[h.Start:h.End], h.Confidence, h.Severity))
	}
	return strings.Join(out, "; ")
}

func TestEveryKindOfPersonalDataHasItsCases(t *testing.T) {
	hits, misses := map[string]int{}, map[string]int{}
	for _, c := range loadPersonal(t) {
		if !slices.ContainsFunc(Rules(), func(r Rule) bool { return r.ID == c.rule }) {
			t.Errorf("no rule is called %s", c.rule)
		}
		if c.value != "" {
			hits[c.rule]++
		} else {
			misses[c.rule]++
		}
	}
	for _, r := range Rules() {
		if hits[r.ID] < 2 || misses[r.ID] < 1 {
			t.Errorf("%s has %d hits and %d misses in testdata/cases", r.ID, hits[r.ID], misses[r.ID])
		}
	}
}

// Shows: RFC-2.
func TestEveryKindOfPersonalDataIsFound(t *testing.T) {
	for _, c := range loadPersonal(t) {
		if c.value == "" {
			continue
		}
		found := Find(c.text, "")
		if !slices.ContainsFunc(
			found,
			func(h Hit) bool { return h.Rule.ID == c.rule && c.text[h.Start:h.End] == c.value },
		) {
			t.Errorf("%s: %q has %q, found %s", c.rule, c.text, c.value, describe(c.text, found))
		}
	}
}

func TestWhatOnlyLooksLikePersonalDataIsPassed(t *testing.T) {
	for _, c := range loadPersonal(t) {
		if c.value != "" {
			continue
		}
		found := Find(c.text, "")
		if slices.ContainsFunc(found, func(h Hit) bool { return h.Rule.ID == c.rule }) {
			t.Errorf("%s: %q gave %s", c.rule, c.text, describe(c.text, found))
		}
	}
}

func TestPersonalRulesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || r.ID == "" || r.Category == "" || r.Severity == "" || r.Confidence <= 0 || r.Confidence > 1 {
			t.Errorf("%+v is incomplete or there twice", r)
		}
		seen[r.ID] = true
	}
	if len(personalData().kinds)+firstKindTag > 64*len(tagSet{}) {
		t.Error("a tagSet has no room for so many kinds")
	}
}
