package detect_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/detect/detecttest"
	"mcpproxy/internal/text"
)

const (
	digits = "0123456789"
	hex    = "abcdef" + digits
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum  = lower + upper + digits
	base32 = upper + "234567"
	bech32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
)

// mix returns n characters of an alphabet, distributed so evenly that no entropy check takes them for a placeholder.
func mix(alphabet string, n int) string {
	var b strings.Builder
	for i, at := 0, 3; i < n; i, at = i+1, at+(len(alphabet)*5/8|1) {
		if i > 0 && i%len(alphabet) == 0 {
			at++
		}
		b.WriteByte(alphabet[at%len(alphabet)])
	}
	return b.String()
}

// sample is a made-up secret of one rule: the value, and the text that contains it.
type sample struct {
	value, in string
	named     bool // found by its name, so the text must not be encoded
}

// text returns the text of the sample.
func (s sample) text() string { return s.in }

// cases are the hits and misses of every rule.
var cases = loadCases()

// samples are the first hit of every rule.
var samples = firstHits()

func loadCases() []detecttest.Case {
	cases, err := detecttest.Load("testdata/secrets")
	if err != nil {
		panic(err)
	}
	return cases
}

func firstHits() map[string]sample {
	named := map[string]bool{}
	for _, r := range detect.Rules() {
		named[r.ID] = r.Pattern == ""
	}
	first := map[string]sample{}
	for _, c := range cases {
		if _, ok := first[c.Rule]; !ok && c.Positive {
			first[c.Rule] = sample{value: c.Value, in: c.Text, named: named[c.Rule]}
		}
	}
	return first
}

func pem(kind string) string {
	return "-----BEGIN " + kind + "-----\n" + mix(alnum, 64) + "\n" + mix(alnum, 48) + "\n-----END " + kind + "-----"
}

// detector is shared by the tests, as by the calls of a proxy.
var detector = detect.New(detect.Rules())

// find searches raw, which must be valid JSON.
func find(t interface{ Fatal(...any) }, raw []byte) (*text.Document, []detect.Finding) {
	doc, err := text.Parse(raw, "arguments")
	if err != nil {
		t.Fatal(err)
	}
	found, err := detector.Find(doc)
	if err != nil {
		t.Fatal(err)
	}
	return doc, found
}

// values returns the values that the rule found in s.
func values(t *testing.T, rule, s string) []string {
	t.Helper()
	_, found := find(t, text.Quote(s))
	var out []string
	for _, f := range found {
		if f.Rule.ID == rule {
			out = append(out, f.Value)
		}
	}
	return out
}
