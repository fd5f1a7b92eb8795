package flow

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// plainAddresses is a simple implementation of addressesIn.
func plainAddresses(s string, hosts bool) (out []address) {
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && inAddress(s[i:]) > 0 {
			i += inAddress(s[i:])
		}
		if i == start {
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
			continue
		}
		a, ok := addressIn(s[start:i])
		if ok && (hosts || mayBeSure(s[start:i]) && a.kind != kindHost) {
			a.at += start
			out = append(out, a)
		}
	}
	return out
}

// plainRuns is a simple implementation of payloadRuns.
func plainRuns(s string) []string {
	runs := strings.FieldsFunc(s, func(r rune) bool {
		return (r >= utf8.RuneSelf || !isAlnum(byte(r))) && !strings.ContainsRune("+/=-_", r)
	})
	return slices.DeleteFunc(runs, func(run string) bool { return len(run) < minRun })
}

// plainWords is a simple implementation of wordsIn.
func plainWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return r < utf8.RuneSelf && !isAlnum(byte(r)) ||
			r >= utf8.RuneSelf && !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
	})
}

// scannedAlike reports where scanning a text differs from the simplest way.
func scannedAlike(t *testing.T, s string) {
	t.Helper()
	for _, hosts := range []bool{true, false} {
		if got, want := slices.Collect(addressesIn(s, hosts)), plainAddresses(s, hosts); !slices.Equal(got, want) {
			t.Errorf("the addresses in %q are %v, want %v", s, got, want)
		}
	}
	if got, want := slices.Collect(payloadRuns(s)), plainRuns(s); !slices.Equal(got, want) {
		t.Errorf("the payloads in %q are %q, want %q", s, got, want)
	}
	if got, want := slices.Collect(carrierTokens(s)), plainWords(s); !slices.Equal(got, want) {
		t.Errorf("the words of %q are %q, want %q", s, got, want)
	}
}

func TestScanningFindsWhatTheSimplestWayFinds(t *testing.T) {
	pieces := []string{
		"a", "Zoë", "7", " ", "\n", ".", ":", "://", "@", "www.", "https://", "example.com", "ann@b.example", "=", "-_", "+/",
		"(", ")", ",", "\xe2", "\xc3\xa9", "\xff", "\u4e2d", "\u0e01", "\u0301", "\ufffd",
		strings.Repeat("Ab9", 9), strings.Repeat("x", minRun-1),
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		scannedAlike(t, b.String())
	}
}

func FuzzScan(f *testing.F) {
	f.Add("See https://example.com/a?b=c, or ann@b.example: " + strings.Repeat("QUJD", 20))
	f.Fuzz(scannedAlike)
}
