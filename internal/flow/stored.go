package flow

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy/internal/text"
)

// StoredSecret is the category of what a store of secrets has answered: it is a secret because
// of where it comes from, whatever it looks like.
const StoredSecret = "stored_secret"

// Bounds of the values of stores that are looked for as they are.
const (
	maxStored   = 128
	leastStored = 4 // characters of one
	// sureStored is the length from which a value is a store's wherever it stands: a number of
	// four digits can be another one, which the user has named.
	sureStored = 8
)

// stored are values that a store of secrets has answered with. The index knows long ones in
// every form; a PIN is too short for it, and is looked for as a word. They are not kept in a
// snapshot, which must hold no secret.
type stored []string

// keep notes the values among secrets that a store has answered with. The oldest make room.
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

// in are the stored values that stand in a document as words of their own. Said reports
// whether the user's words hold a value.
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

// standsIn reports whether a text holds a value with neither a letter nor a digit beside it.
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
