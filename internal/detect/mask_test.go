package detect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

func ExampleDetector_Find() {
	d := detect.New(detect.Rules())
	raw := []byte(`{"note":"use ghp_` + "1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o6P7q8R" + ` for CI"}`)
	doc, err := text.Parse(raw, "arguments")
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := d.Find(doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range found {
		fmt.Println(f.Path, f.Rule.ID, f.Rule.Severity)
	}
	fmt.Println(string(detect.NewMasker(found).JSON(doc, found)))
	// Output:
	// arguments.note github_token critical
	// {"note":"use [github_token:ghp_…] for CI"}
}

// maskJSON masks the found values in raw.
func maskJSON(raw []byte, found []detect.Finding) []byte {
	doc, err := text.Parse(raw, "")
	if err != nil {
		return nil
	}
	return detect.NewMasker(found).JSON(doc, nil)
}

// checkMasked fails the test if a planted value can be read in masked.
func checkMasked(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, masked []byte, planted ...string) {
	if !json.Valid(masked) {
		t.Fatalf("the masked value is not JSON: %q", masked)
	}
	doc, err := text.Parse(masked, "arguments")
	if err != nil {
		t.Fatalf("%v in %s", err, masked)
	}
	for _, v := range doc.Views() {
		for _, secret := range planted {
			if strings.Contains(v.Text, secret) {
				t.Fatalf("%q is still at %s (%s) in %s", secret, doc.Path(doc.Parts[v.Part]), v.How, masked)
			}
		}
	}
}

func quoted(s string) string { return string(text.Quote(s)) }

// escaped returns a JSON string in which every character is an escape.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return `"` + b.String() + `"`
}

func TestMaskJSONHidesASecretWhereverItStands(t *testing.T) {
	s := samples["github_token"].value
	hidden := s[:9] + "\u200b" + s[9:]
	cases := []struct{ name, raw, want string }{
		{"a value", `{"a":` + quoted(s) + `,"b":1}`, `{"a":"[github_token:ghp_…]","b":1}`},
		{"a text around it stays", `["go ` + s + ` go"]`, `["go [github_token:ghp_…] go"]`},
		{"twice in one string", quoted(s + " " + s), `"[github_token:ghp_…] [github_token:ghp_…]"`},
		{"a key", `{` + quoted(s) + `:true}`, `{"[github_token:ghp_…]":true}`},
		{"JSON in a string", quoted(`{"k":` + quoted(s) + `}`), quoted(`{"k":"[github_token:ghp_…]"}`)},
		{"escapes", escaped(s), `"[github_token:ghp_…]"`},
		{"escapes in JSON in a string", quoted(`{"k":` + escaped(s) + `}`), quoted(`{"k":"[github_token:ghp_…]"}`)},
		{"a zero-width space", quoted("go " + hidden), `"go [github_token:ghp_…]"`},
		{
			"a zero-width space in JSON in a string",
			quoted(`[` + quoted(hidden) + `]`),
			quoted(`["[github_token:ghp_…]"]`),
		},
		{
			"an escaped zero-width space in JSON in a string",
			quoted(`["` + s[:9] + `\u200b` + s[9:] + `"]`),
			quoted(`["[github_token:ghp_…]"]`),
		},
		{"full-width letters", quoted(wide(s, 20)), `"[github_token:ghp_…]"`},
		{"numbers and white space elsewhere", "{\"n\" : 12345678901234567890,\n\"f\":1.0,\"s\":" + quoted(s) + `}`,
			"{\"n\" : 12345678901234567890,\n\"f\":1.0,\"s\":\"[github_token:ghp_…]\"}"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, found := find(t, []byte(c.raw))
			got := maskJSON([]byte(c.raw), found)
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
			checkMasked(t, got, s)
		})
	}
}

func TestMaskJSONHidesEveryCopy(t *testing.T) {
	s := samples["github_token"].value
	hidden := s[:9] + "\u200b" + s[9:]
	overlap := "postgres://app:" + s + "-" + mix(digits, 9) + "@db.internal/prod"
	longer := "aB3" + "8Q~" + mix(alnum, 33) // ㏂ is read as "a.m.", four bytes instead of three
	cases := []struct {
		name, raw string
		planted   []string
	}{
		{"one plain and one disguised copy in one string", quoted(s + " and " + hidden), []string{s}},
		{"one plain and one escaped copy in one string", quoted(`["` + s + `",` + escaped(s) + `]`), []string{s}},
		{"a secret inside a longer one", quoted(overlap), []string{s, mix(digits, 9)}},
		{
			"a disguise shorter than the secret",
			quoted(longer[:12] + "㏂" + longer[16:]),
			[]string{longer[:12] + "a.m." + longer[16:]},
		},
		{"a private key at the end of its string", quoted("key: " + pem("RSA PRIVATE KEY")), []string{mix(alnum, 48)}},
		{"a private key as a key", `{` + quoted(pem("PRIVATE KEY")) + `:1}`, []string{mix(alnum, 48)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, found := find(t, []byte(c.raw))
			if len(found) == 0 {
				t.Fatal("nothing found")
			}
			checkMasked(t, maskJSON([]byte(c.raw), found), c.planted...)
		})
	}
}

// Many false secrets do not displace a real one.
func TestMaskJSONHidesSecretsBeyondTheNumberOfFindings(t *testing.T) {
	var texts, planted []string
	for i := range 500 {
		s := fmt.Sprintf("ghp_%s%04d", mix(alnum, 32), i)
		texts, planted = append(texts, s), append(planted, s)
	}
	raw, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := text.Parse(raw, "arguments")
	if err != nil {
		t.Fatal(err)
	}
	found, err := detector.Find(doc)
	if err != nil {
		return // it was not read to the end, which was reported
	}
	checkMasked(t, maskJSON(raw, found), planted...)
}

func TestPathsHoldNoSecret(t *testing.T) {
	s := samples["github_token"].value
	cases := []struct{ name, key, planted string }{
		{"a token", s, s},
		{"a token with a zero-width space", s[:9] + "\u200b" + s[9:], s[9:]},
		{"a private key, whose line ends a path spells as escapes", pem("RSA PRIVATE KEY"), mix(alnum, 48)},
		{"a password with an umlaut", "postgres://app:" + "geheimnis" + "ä" + "@db.internal/prod", "geheimnis"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, found := find(t, []byte(`{"a":{`+quoted(c.key)+`:[{"b":`+quoted(s)+`}]}}`))
			if len(found) < 2 {
				t.Fatalf("found only %d", len(found))
			}
			for _, f := range found {
				if strings.Contains(f.Path, c.planted) || strings.Contains(f.Signal().Path, c.planted) {
					t.Errorf("path %s", f.Path)
				}
			}
		})
	}
}

func TestMaskJSONLeavesCleanValuesAlone(t *testing.T) {
	_, found := find(t, []byte(quoted(samples["github_token"].value)))
	for _, raw := range []string{`{"a":"b\u0041","n":12345678901234567890}`, `[]`, `"x"`, `null`, `[1.0,1e5]`} {
		if got := string(maskJSON([]byte(raw), found)); got != raw {
			t.Errorf("%s became %s", raw, got)
		}
	}
	if got := maskJSON([]byte(" {}"), nil); string(got) != " {}" {
		t.Errorf("without findings: %q", got)
	}
}

func TestMaskedShowsOnlyTheUsualPartsOfAValue(t *testing.T) {
	for _, c := range []struct{ kind, value, want string }{
		{"github_token", "ghp_" + mix(alnum, 36), "[github_token:ghp_…]"},
		{"generic_password", "hunter2Long", "[generic_password]"},
		{"credit_card", "4539 5787 " + "6362 1486", "[credit_card:…1486]"},
		{"iban", "DE89 3704 0044 " + "0532 0130 00", "[iban:DE89…3000]"},
		{"email", "jane.miller@mail.acme-corp.net", "[email]"},
		{"private_key", "\n\n\n\n" + mix(alnum, 30), "[private_key]"},
	} {
		if got := detect.Masked(c.kind, c.value); got != c.want {
			t.Errorf("%s: got %s, want %s", c.kind, got, c.want)
		}
	}
}

func TestMaskText(t *testing.T) {
	s := samples["github_token"].value
	_, found := find(t, []byte(quoted(s)))
	for in, want := range map[string]string{
		"nothing here":           "nothing here",
		"token " + s + "!":       "token [github_token:ghp_…]!",
		s[:9] + "\u200b" + s[9:]: "[github_token:ghp_…]",
	} {
		if got := detect.MaskText(in, found); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// disguise encodes s in one of the ways that hide it from a plain search.
func disguise(t *rapid.T, s string) string {
	switch rapid.IntRange(0, 3).Draw(t, "disguise") {
	case 1:
		runes := []rune(s)
		at := rapid.IntRange(1, len(runes)-1).Draw(t, "at")
		return string(
			runes[:at],
		) + string(
			rapid.RuneFrom([]rune("\u200b\u200d\u2060\ufeff\u00ad")).Draw(t, "invisible"),
		) + string(
			runes[at:],
		)
	case 2:
		return wide(s, rapid.IntRange(1, 12).Draw(t, "wide"))
	}
	return s
}

// disguised returns the text of s, encoded. The name of a value is not encoded, because the value is found by it.
func disguised(t *rapid.T, s sample) string {
	if s.named {
		return strings.Replace(s.text(), s.value, disguise(t, s.value), 1)
	}
	return disguise(t, s.text())
}

// plant puts s somewhere into a JSON value.
func plant(t *rapid.T, s string, depth int) string {
	if depth == 0 {
		if rapid.Bool().Draw(t, "escaped") {
			return escaped(s)
		}
		return quoted(s)
	}
	inner := plant(t, s, depth-1)
	switch rapid.IntRange(0, 3).Draw(t, "where") {
	case 0:
		return `{"a":1,"b":` + inner + `,"c":null}`
	case 1:
		return `["x",` + inner + `]`
	case 2:
		return quoted(`{"text":` + inner + `}`)
	}
	return `{` + quoted(s) + `:` + inner + `}`
}

func TestMaskingLaw(t *testing.T) {
	ids := slices.Sorted(maps.Keys(samples))
	rapid.Check(t, func(t *rapid.T) {
		var planted, items []string
		for range rapid.IntRange(1, 3).Draw(t, "n") {
			s := samples[rapid.SampledFrom(ids).Draw(t, "rule")]
			around := rapid.SampledFrom([]string{"%", "see % here", "first\n%\nlast"}).Draw(t, "around")
			planted = append(planted, s.value)
			items = append(
				items,
				plant(t, strings.ReplaceAll(around, "%", disguised(t, s)), rapid.IntRange(0, 3).Draw(t, "depth")),
			)
		}
		raw := []byte("[" + strings.Join(items, ",") + "]")
		_, found := find(t, raw)
		masked := maskJSON(raw, found)
		checkMasked(t, masked, planted...)
		for _, f := range found {
			for _, secret := range planted {
				if strings.Contains(f.Path, secret) {
					t.Fatalf("the path %s holds it", f.Path)
				}
			}
		}
	})
}

func FuzzMaskJSON(f *testing.F) {
	s := samples["github_token"].value
	f.Add([]byte(`{"a":["` + s + `"]}`))
	f.Add([]byte(`{"a":"` + s + `",` + "\n" + `"b":[1,"x"]}`))
	f.Add([]byte(`{"a":"{\"k\":\"` + s + `\",oops"}`))
	doc, err := text.Parse(text.Quote(s), "")
	if err != nil {
		f.Fatal(err)
	}
	found, err := detector.Find(doc)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		masked := maskJSON(raw, found)
		if masked != nil && len(bytes.TrimSpace(raw)) > 0 && !json.Valid(masked) {
			t.Errorf("%q became %q, which is not JSON", raw, masked)
		}
		if strings.Contains(string(masked), s) {
			t.Errorf("the secret is in %q", masked)
		}
	})
}

func FuzzFind(f *testing.F) {
	for id, s := range samples {
		if len(id)%7 == 0 {
			f.Add(s.text())
		}
	}
	f.Add(`{"password":"` + mix(alnum, 20) + `","card":"4539 5787 ` + `6362 1486"}`)
	f.Add("-----BEGIN " + "PRIVATE KEY-----\n" + mix(alnum, 64))
	f.Fuzz(func(t *testing.T, s string) {
		raw := text.Quote(s)
		doc, found := find(t, raw)
		for _, one := range found {
			for _, span := range one.Spans {
				if span.Start < 0 || span.Start > span.End || span.End > len(doc.Parts[span.Part].Text) {
					t.Fatalf("%s stands at %+v", one.Rule.ID, span)
				}
			}
		}
		if masked := detect.NewMasker(found).JSON(doc, found); !json.Valid(masked) {
			t.Fatalf("%q became %q, which is not JSON", s, masked)
		}
	})
}
