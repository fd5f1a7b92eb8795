package eval

import (
	"slices"
	"strings"
)

// outOfScope are labels of data that is not searched for. Recognising names of people, places and organisations, and
// addresses, needs a language model. A date other than a date of birth, an age or a web address is not a secret. Rows
// without other labels are not counted.
var outOfScope = []string{
	"AGE",
	"CITY",
	"COUNTRY",
	"DATE",
	"DATE_TIME",
	"DOMAIN",
	"DOMAIN_NAME",
	"FAC",
	"FACILITY",
	"FIRST_NAME",
	"GPE",
	"LAST_NAME",
	"LOC",
	"LOCATION",
	"NAME",
	"NORP",
	"NRP",
	"ORG",
	"ORGANISATION",
	"ORGANIZATION",
	"PER",
	"PERSON",
	"POSTAL_CODE",
	"POSTCODE",
	"STATE",
	"STREET",
	"STREET_ADDRESS",
	"TIME",
	"TITLE",
	"UK_POSTCODE",
	"URL",
	"ZIP",
	"ZIP_CODE",
}

// labels returns a row's labels, which are joined by |.
func labels(joined string) []string {
	var out []string
	for l := range strings.SplitSeq(joined, "|") {
		if l = strings.TrimSpace(l); !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// inScope returns the labels that are searched for.
func inScope(all []string) []string {
	var in []string
	for _, l := range all {
		if isInScope(l) {
			in = append(in, l)
		}
	}
	return in
}

func isInScope(label string) bool {
	_, out := slices.BinarySearch(outOfScope, strings.ToUpper(strings.ReplaceAll(label, "-", "_")))
	return !out
}
