package eval

import (
	"slices"
	"strings"
)

// outOfScope are labels of what is not looked for: what people, places and
// organisations are called and where they are takes a language model to tell,
// and a date (but that of a birth), an age or an address on the web is not a secret. Rows that have no
// other label are not counted.
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

// labels are a row's labels, which are joined by |.
func labels(joined string) []string {
	var out []string
	for l := range strings.SplitSeq(joined, "|") {
		if l = strings.TrimSpace(l); !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// inScope is those of the labels that are looked for.
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
