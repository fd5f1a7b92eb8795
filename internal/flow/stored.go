package flow

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy/internal/text"
)

// StoredSecret is the category of a value from a secret store. The store makes the value a secret, whatever the value
// looks like.
const StoredSecret = "stored_secret"

// Limits of the values from secret stores that are searched for literally.
const (
	maxStored   = 128
	leastStored = 4 // minimum number of characters
	// sureStored is the number of characters from which a value counts wherever it occurs. A shorter value does not
	// count if the user's words contain it: four digits, for example, may be another number.
	sureStored = 8
)

// stored lists values from secret stores. The index recognises long values in every form. Short values, such as a PIN,
// are searched for as words. Snapshots must not contain secrets, so stored is not saved.
type stored []string

// keep records the secrets that come from a secret store, and drops the oldest beyond the limit.
func (v *stored) keep(secrets []Secret) {
	for _, s := range secrets {
		short := utf8.RuneCountInString(s.Value) < leastStored
		if s.Category != StoredSecret || short || slices.Contains(*v, s.Value) {
			continue
		}
		if len(*v) == maxStored {
			*v = slices.Delete(*v, 0, 1)
		}
		*v = append(*v, s.Value)
	}
}

// in returns the stored values that a document contains as separate words. said reports whether the user's words
// contain a value.
func (v stored) in(doc *text.Document, said func(string) bool) []Secret {
	var out []Secret
	for _, value := range v {
		if utf8.RuneCountInString(value) < sureStored && said(value) {
			continue
		}
		for _, view := range doc.Views() {
			if standsIn(view.Text, value) {
				out = append(out, Secret{Value: value, Category: StoredSecret, Part: view.Part})
				break
			}
		}
	}
	return out
}

// standsIn reports whether a text contains a value with no letter or digit next to it.
func standsIn(s, value string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], value)
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(value)
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if !partOfWord(before) && !partOfWord(after) {
			return true
		}
		from = start + 1
	}
}

func partOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
