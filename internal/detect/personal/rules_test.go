package personal

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/cputime"
)

// provenCases returns the cases whose value a check digit confirms.
func provenCases(t *testing.T) []personalCase {
	t.Helper()
	x := personalData()
	var out []personalCase
	for _, c := range loadPersonal(t) {
		if c.value == "" {
			continue
		}
		check := x.kinds[x.byID[c.rule]].check
		if id := (&textReader{text: c.value}).squeeze(0, len(c.value)); check != nil && check(id) == right {
			out = append(out, c)
		}
	}
	return out
}

// Other numbers of the same kind with a valid check digit are found in the same place; numbers with an invalid one
// are not.
// Shows: RFC-16.
func TestEveryNumberThatTheCheckProvesIsFoundAndNoOther(t *testing.T) {
	cases := provenCases(t)
	x := personalData()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(cases).Draw(t, "case")
		kind := x.byID[c.rule]
		value := []byte(c.value)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			i := rapid.IntRange(0, len(value)-1).Draw(t, "at")
			if isNumber(value[i]) {
				value[i] = byte('0' + rapid.IntRange(0, 9).Draw(t, "digit"))
			}
		}
		if at := rapid.IntRange(0, len(value)-1).Draw(t, "mended"); isNumber(value[at]) {
			for c := byte('0'); c <= '9'; c++ {
				if value[at] = c; x.kinds[kind].check((&textReader{text: string(value)}).squeeze(0, len(value))) == right {
					break
				}
			}
		}
		id := slices.Clone((&textReader{text: string(value)}).squeeze(0, len(value)))
		g := x.kinds[kind].check(id)
		text := strings.Replace(c.text, c.value, string(value), 1)
		start := strings.Index(c.text, c.value)
		found := Find(text, "")
		at := slices.IndexFunc(found, func(h Hit) bool { return h.Start < start+len(value) && h.End > start })
		switch {
		case g == right && at < 0 && !trivial(id) && !sequential(id) && longestRun(id) < 9:
			t.Fatalf("%s: nothing found in %q", c.rule, text)
		case g == wrong && at >= 0 && found[at].Rule.ID == c.rule && found[at].Start == start && found[at].End == start+len(value):
			t.Fatalf("%s: %q is refused by the check, and found in %q", c.rule, value, text)
		}
	})
}

// Shows: RFC-16.
func TestTheFieldsNameAnnouncesItsValue(t *testing.T) {
	cases := []struct{ name, field, text, rule string }{
		{"a snake-case name", "social_security_number", "219091234", "us_ssn"},
		{"a camel-case name", "taxId", "078-05-1123", "us_ssn"},
		{"capitals do not matter", "ssn", "219091234", "us_ssn"},
		{"a name in German", "Sozialversicherungsnummer", "15070649C103", "de_social_security"},
		{"a phone", "mobile_no", "5412142388", "phone"},
		{"a date of birth", "dob", "1984-07-23", "date_of_birth"},
		{"a date of birth in French", "dateNaissance", "23/07/1984", "date_of_birth"},
		{"a passport", "passport_number", "Q7718204X", "passport"},
		{"a record of a patient", "mrn", "48213-77", "medical_record_number"},
		{"a bank code without digits", "swift_code", "NAIADEFF", "bic"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := Find(c.text, c.field)
			if len(found) != 1 || found[0].Rule.ID != c.rule || found[0].Confidence < 0.7 {
				t.Errorf("%s in %s: %s", c.text, c.field, describe(c.text, found))
			}
		})
	}
}

func TestADateInTheNameOfAFileIsNoDocument(t *testing.T) {
	for text, want := range map[string]int{
		"/farm/out/passports_20261126.pdf": 0,
		"passports-20261126":               0,
		"passport_20269926":                1,
		"passport 20261126":                1,
	} {
		if found := Find(text, ""); len(found) != want {
			t.Errorf("%s: %s", text, describe(text, found))
		}
	}
}

func TestEveryPhoneOfAListIsAsSureAsTheFirst(t *testing.T) {
	for name, entry := range map[string]string{"with a calling code": "+44 20 7946 0958, ", "as dialled": "tel. 030 901820, ", "in American grouping": "(541) 714-2388, "} {
		text := strings.Repeat(entry, 40)
		found := Find(text, "")
		if len(found) != 40 || found[39].Confidence != found[0].Confidence || found[0].Confidence < 0.7 {
			t.Errorf("%s: %d found: %s", name, len(found), describe(text, found))
		}
	}
}

// Shows: RFC-2.
func TestABareNumberCountsLittle(t *testing.T) {
	alone, _ := complete("us_npi", "148213776?", true)
	for _, field := range []string{"", "value", "text"} {
		found := Find(alone, field)
		if len(found) != 1 || found[0].Confidence > 0.5 || found[0].Severity != mcpproxy.SeverityLow {
			t.Errorf("%s in %q: %s", alone, field, describe(alone, found))
		}
	}
	for name, c := range map[string][2]string{
		"in a member of another name": {alone, "order_id"},
		"in running text":             {"we kept " + alone + " in the list", ""},
		"in a longer token":           {"AB-" + alone + "-7", ""},
		"in a decimal":                {"0." + alone, ""},
		"in a URL":                    {"https://shop.test/items?sku=" + alone, ""},
	} {
		if found := Find(c[0], c[1]); len(found) != 0 {
			t.Errorf("%s: %s", name, describe(c[0], found))
		}
	}
}

func TestSeverityFollowsConfidence(t *testing.T) {
	card, _ := complete("credit_card", "455673758689985?", true)
	cases := []struct {
		name, text string
		severity   mcpproxy.Severity
	}{
		{"an announced card", "my card is " + card, mcpproxy.SeverityCritical},
		{"a bare card", "use " + card + " for it", mcpproxy.SeverityHigh},
		{"a card in an order's number", "order " + card, mcpproxy.SeverityLow},
		{"an address of documentation", "a@example.com", mcpproxy.SeverityLow},
		{"a private network", "10.1.2.3", mcpproxy.SeverityLow},
		{"a public one", "41.173.96.26", mcpproxy.SeverityMedium},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if found := Find(c.text, ""); len(found) != 1 || found[0].Severity != c.severity {
				t.Error(describe(c.text, found))
			}
		})
	}
}

// Ordinary texts of tools contain many numbers that are not personal.
func TestOrdinaryTextsHoldNoPersonalData(t *testing.T) {
	for name, unit := range readings {
		if name == "people" {
			continue
		}
		if found := Find(fill(unit, 8<<10), ""); len(found) != 0 {
			t.Errorf("%s: %s", name, describe(fill(unit, 8<<10), found[:1]))
		}
	}
	for _, s := range []string{"", "@", "@@@", "+", "a@b", "1", "::", "https://a.test/b?c=1", "id: 37888144", "2024-05-06T10:22:33.123Z", "v1.2.3-rc.4+build.77",
		"isbn 978-3-16-148410-0", "commit 3f786850e387550fdab836ed7e6dc881de23001b", "pi is 3.14159265358979", "1,234,567.89 EUR", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"} {
		if found := Find(s, ""); len(found) != 0 {
			t.Errorf("%q: %s", s, describe(s, found))
		}
	}
}

func TestOverlappingFindingsAreSettled(t *testing.T) {
	for _, c := range loadPersonal(t) {
		end := 0
		for _, h := range Find(c.text, "") {
			if h.Start < end || h.End > len(c.text) || h.Start >= h.End || h.Confidence < leastConfidence {
				t.Errorf("%q: %+v", c.text, h)
			}
			end = h.End
		}
	}
}

// The time is linear in the length of the text.
func TestReadingForPersonalDataTakesLinearTime(t *testing.T) {
	cases := map[string]string{
		"at signs":    "a@",
		"plus signs":  "+1",
		"colons":      "1:",
		"dots":        "1.",
		"hyphens":     "1-",
		"one word":    "1a",
		"spaces":      "1 ",
		"letters":     "A1 ",
		"parentheses": "(1)",
		"words":       "phone ssn dob passport 1",
		"accents":     "né",
		"characters":  "电话1",
		"mixed":       "GB12 3456 ",
	}
	for name, unit := range readings {
		cases[name] = unit
	}
	// A busy machine slows runs down, so the fastest of many counts.
	cost := func(text string, best time.Duration) time.Duration {
		return min(best, cputime.Of(func() {
			Find(text, "")
		}))
	}
	for name, unit := range cases {
		short, long := fill(unit, 32<<10), fill(unit, 320<<10)
		small, large := time.Hour, time.Hour
		for try := 0; try < 3 || try < 40 && large > 40*small; try++ {
			small, large = cost(short, small), cost(long, large)
		}
		if large > 40*small {
			t.Errorf("%s: 32 KB take %v, 320 KB %v", name, small, large)
		}
	}
}

func FuzzPersonal(f *testing.F) {
	for _, c := range loadPersonal(f) {
		f.Add(c.text, "")
		f.Add(c.value, c.rule)
	}
	f.Add("\xff@\xc3.\xe5\x8f", "\x80")
	f.Fuzz(func(t *testing.T, text, field string) {
		end := 0
		for _, h := range Find(text, field) {
			if h.Rule == nil || h.Start < end || h.End <= h.Start || h.End > len(text) ||
				h.Confidence < leastConfidence ||
				h.Confidence > 1 ||
				h.Severity == "" {
				t.Fatalf("%+v in %q", h, text)
			}
			end = h.End
		}
	})
}
