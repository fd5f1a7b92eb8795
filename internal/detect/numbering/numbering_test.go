package numbering_test

import (
	"testing"

	"mcpproxy/internal/detect/numbering"
)

func TestNumbersAreValidWhereTheyAreDialled(t *testing.T) {
	for _, c := range []struct {
		name   string
		plan   numbering.Plan
		digits string
		want   bool
	}{
		{"a number with its calling code, behind a plus sign", numbering.Abroad, "442079460958", true},
		{"the same without its code is no number of the world", numbering.Abroad, "2079460958", false},
		{"the same as it is dialled at home", numbering.GB, "02079460958", true},
		{"the same without the prefix", numbering.GB, "2079460958", true},
		{"the same in another country", numbering.FR, "02079460958", false},
		{"the same from another country", numbering.FR, "00442079460958", true},
		{"the same from a country with another way abroad", numbering.US, "011442079460958", true},
		{"the international prefix of another country is not valid here", numbering.FR, "011442079460958", false},
		{"a number with its own calling code and no plus sign", numbering.DE, "4930123456", true},
		{"a number of Italy keeps its zero", numbering.IT, "0612345678", true},
		{"a service that the whole world shares", numbering.Abroad, "80012345678", true},
		{"one digit too few", numbering.US, "212555012", false},
		{"one digit too many", numbering.US, "21255501234", false},
		{"an area code that is not assigned", numbering.US, "1112345678", false},
		{"a calling code that is not assigned", numbering.Called, "99912345", false},
		{"a calling code with anything behind it is called", numbering.Called, "440", true},
		{"nothing is no number", numbering.Abroad, "", false},
		{"what is written between digits is no digit", numbering.Abroad, "44 2079460958", false},
		{"forty digits are no number", numbering.DE, "0301234567890123456789012345678901234567", false},
	} {
		if got := c.plan.Has([]byte(c.digits)); got != c.want {
			t.Errorf("%s: %s has %s: %t, want %t", c.name, c.plan, c.digits, got, c.want)
		}
	}
}

func TestAQueryAllocatesNothing(t *testing.T) {
	digits := []byte("00442079460958")
	if n := testing.AllocsPerRun(100, func() { numbering.DE.Has(digits) }); n != 0 {
		t.Errorf("an answer makes %v allocations", n)
	}
}

func BenchmarkHas(b *testing.B) {
	digits := []byte("442079460958")
	for b.Loop() {
		numbering.Abroad.Has(digits)
	}
}
