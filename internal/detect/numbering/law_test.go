package numbering_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/nyaruka/phonenumbers"
	"pgregory.net/rapid"

	"mcpproxy/internal/detect/numbering"
)

// types are the types of numbers for which the library has examples.
var types = []phonenumbers.PhoneNumberType{
	phonenumbers.FIXED_LINE,
	phonenumbers.MOBILE,
	phonenumbers.TOLL_FREE,
	phonenumbers.PREMIUM_RATE,
	phonenumbers.SHARED_COST,
	phonenumbers.VOIP,
	phonenumbers.PERSONAL_NUMBER,
	phonenumbers.PAGER,
	phonenumbers.UAN,
	phonenumbers.VOICEMAIL,
}

// examples returns numbers of all countries and types, with and without the calling code.
func examples() []string {
	var all []string
	add := func(n *phonenumbers.PhoneNumber) {
		if n == nil {
			return
		}
		national := phonenumbers.GetNationalSignificantNumber(n)
		all = append(all, national, strconv.Itoa(int(n.GetCountryCode()))+national)
	}
	for region := range phonenumbers.GetSupportedRegions() {
		for _, kind := range types {
			add(phonenumbers.GetExampleNumberForType(region, kind))
		}
	}
	for code := range phonenumbers.GetSupportedGlobalNetworkCallingCodes() {
		add(phonenumbers.GetExampleNumberForNonGeoEntity(code))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// before are prefixes that people dial before a number, and others that plans treat specially.
var before = []string{
	"",
	"0",
	"1",
	"00",
	"8",
	"011",
	"0011",
	"0014",
	"010",
	"001",
	"003768",
	"0000",
	"180020",
	"183",
	"17900",
	"0015",
	"9015",
	"0815",
	"1900",
	"9",
	"15",
}

// nearly generates numbers with a few changes, and with characters that only look like digits.
func nearly(of []string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 19).Draw(t, "any") == 0 {
			return rapid.StringMatching(`[0-9]{1,22}`).Draw(t, "digits")
		}
		s := []byte(rapid.SampledFrom(before).Draw(t, "before") + rapid.SampledFrom(of).Draw(t, "example"))
		for range rapid.SampledFrom([]int{0, 1, 1, 2, 6}).Draw(t, "changes") {
			i := rapid.IntRange(0, len(s)-1).Draw(t, "where")
			d := byte(rapid.IntRange('0', '9').Draw(t, "digit"))
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				s = slices.Insert(s, i, d)
			case 1:
				if len(s) > 1 {
					s = slices.Delete(s, i, i+1)
				}
			default:
				s[i] = d
			}
		}
		return string(s)
	})
}

// oracle returns the library's answer, and an error if the library cannot parse the digits.
func oracle(p numbering.Plan, digits string) (valid bool, err error) {
	region := p.String()
	if p == numbering.Abroad {
		digits, region = "+"+digits, ""
	}
	n, err := phonenumbers.Parse(digits, region)
	return err == nil && phonenumbers.IsValidNumber(n), err
}

func TestTheAnswersAreThoseOfTheLibrary(t *testing.T) {
	of := examples()
	if len(of) < 1500 {
		t.Fatalf("only %d examples", len(of))
	}
	numbers := nearly(of)
	found := map[numbering.Plan]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 8 {
			digits := numbers.Draw(t, "number")
			for p := range numbering.Count {
				if p == numbering.Called {
					continue
				}
				want, _ := oracle(p, digits)
				if got := p.Has([]byte(digits)); got != want {
					t.Fatalf("%s has %s: %t, the library says %t", p, digits, got, want)
				}
				if want {
					found[p]++
				}
			}
		}
	})
	if len(found) != int(numbering.Count)-1 {
		t.Errorf("not every plan had a number: %v", found)
	}
}

// The library fails to parse a long enough string of digits exactly if it begins with no calling code.
func TestACallingCodeIsKnownIfTheLibraryParsesTheNumber(t *testing.T) {
	numbers := nearly(examples())
	rapid.Check(t, func(t *rapid.T) {
		digits := numbers.Filter(func(s string) bool { return len(s) >= 8 && len(s) <= 15 }).Draw(t, "number")
		_, err := oracle(numbering.Abroad, digits)
		if got := numbering.Called.Has([]byte(digits)); got != (err == nil) {
			t.Fatalf("a calling code begins %s: %t, the library says %v", digits, got, err)
		}
	})
}

func TestEveryCallingCodeIsKnown(t *testing.T) {
	codes := map[string]bool{}
	for code := range phonenumbers.GetSupportedCallingCodes() {
		codes[strconv.Itoa(code)] = true
	}
	for n := range 1000 {
		digits := fmt.Sprintf("%03d00000", n)
		want := codes[digits[:1]] || codes[digits[:2]] || codes[digits[:3]]
		if got := numbering.Called.Has([]byte(digits)); got != want {
			t.Errorf("a calling code begins %s: %t, the library says %t", digits, got, want)
		}
	}
}

func FuzzAnyBytesHaveTheLibrarysAnswer(f *testing.F) {
	for _, seed := range []string{"442079460958", "02079460958", "00442079460958", "4930123456", "1", "", "44 20", "\xff9"} {
		f.Add([]byte(seed), byte(numbering.Abroad))
		f.Add([]byte(seed), byte(numbering.GB))
	}
	f.Fuzz(func(t *testing.T, digits []byte, plan byte) {
		p := numbering.Plan(plan) % numbering.Count
		got := p.Has(digits)
		for _, c := range digits {
			if c < '0' || c > '9' {
				if got {
					t.Fatalf("%s has %q", p, digits)
				}
				return
			}
		}
		if p == numbering.Called {
			return // the tests above compare these
		}
		if want, _ := oracle(p, string(digits)); got != want {
			t.Fatalf("%s has %s: %t, the library says %t", p, digits, got, want)
		}
	})
}
