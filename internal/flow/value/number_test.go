package value

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumbersAreReadAsPeopleWriteThem(t *testing.T) {
	read := func(s string) (hashes []uint64, at []string) {
		for n, place := range numbersIn(s) {
			hashes, at = append(hashes, n.hash), append(at, s[place[0]:place[1]])
		}
		return hashes, at
	}
	for _, same := range [][]string{
		{"48210.70", "48210.7", "48,210.70", "48.210,70", "48 210,7", "48'210.70", "$48210.7", "-48_210.70", "00048210.70"},
		{"1234567", "1,234,567", "1.234.567", "1 234 567", "1,234,567.00"},
		{"12345.678", "12,345.678"},
	} {
		want, _ := read(same[0])
		for _, s := range same {
			if got, at := read("is " + s + ", or"); len(got) != 1 || got[0] != want[0] {
				t.Errorf("%q is read as %q, want the same number as %q", s, at, same[0])
			}
		}
	}
	for s, want := range map[string]string{
		"2026-07-26 and 10.88.185.57":     "",
		"v1.22.333 or 1234 or 90000":      "",
		"abc12345 12345abc":               "",
		"12345, 54321 and 99,111.5":       "12345|54321|99,111.5",
		"48210.70.":                       "48210.70",
		strings.Repeat("7", maxDigits+1):  "",
		strings.Repeat("123,", 20) + "12": "",
	} {
		if _, at := read(s); strings.Join(at, "|") != want {
			t.Errorf("the numbers of %q are %q, want %q", s, at, want)
		}
	}
}

func TestFormattingDoesNotChangeANumber(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		whole := rapid.IntRange(10_000, 999_999_999).Draw(rt, "whole")
		cents := rapid.IntRange(1, 99).Draw(rt, "cents")
		group := rapid.SampledFrom([]string{"", ",", " ", "'", "_"}).Draw(rt, "group")
		plain := fmt.Sprintf("%d.%02d", whole, cents)
		written := grouped(fmt.Sprint(whole), group) + fmt.Sprintf(".%02d", cents)
		want, _ := readNumber(plain)
		if got, n := readNumber(written); n != len(written) || got.hash != want.hash {
			rt.Fatalf("%q and %q are read as different numbers", written, plain)
		}
	})
}

func TestFormattingDoesNotHideAnAccount(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		account := "DE" + rapid.StringOfN(rapid.RuneFrom([]rune("0123456789")), 20, 20, -1).Draw(rt, "digits")
		if strings.Count(account, account[2:3]) > 15 {
			return // too little information
		}
		v := holding(t, `[{"iban":"`+account+`","city":"Utvik"}]`)
		written := account
		if rapid.Bool().Draw(rt, "spaced") {
			written = strings.TrimSpace(
				strings.Join(
					[]string{account[:4], account[4:8], account[8:12], account[12:16], account[16:20], account[20:]},
					" ",
				),
			)
		}
		if rapid.Bool().Draw(rt, "small") {
			written = strings.ToLower(written)
		}
		if hits := sent(t, v, says("pay to "+written+" now")); len(hits) != 1 || hits[0].Match != "value" {
			rt.Fatalf("%q: %+v", written, hits)
		}
	})
}

// grouped inserts a separator before every three digits from the end.
func grouped(digits, separator string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}
