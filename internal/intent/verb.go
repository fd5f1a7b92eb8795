package intent

import (
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpproxy"
)

// The verb of a tool's name may be missing in the word lists, or the lists may give it another effect than the server
// does. A user who writes that verb still asks for the call: "sperr die Charge" for a tool called sperren.

const (
	maxVerbs    = 256 // words of all messages that are stored
	minVerbStem = 4   // letters of a word after its ending is removed
)

// endings lists endings of verbs and nouns in languages with Latin letters. The first one in the list that matches is
// removed.
var endings = []string{
	"iendo", "ando", "endo", "indo", "are", "ere", "ire", "ing", "ava", "ar", "er", "ir", "ez", "en", "ed", "es", "as", "os",
	"is", "et", "st", "a", "e", "i", "o", "n", "s", "t", "c",
}

// verbStem returns the key of a word without its ending; ok is false for a word that is too short.
func verbStem(w string) (key uint32, ok bool) {
	w = unaccented(w)
	if utf8.RuneCountInString(w) < minVerbStem || unspaced(firstRune(w)) {
		return 0, false
	}
	for _, end := range endings {
		if s, cut := strings.CutSuffix(w, end); cut && utf8.RuneCountInString(s) >= minVerbStem {
			w = s
			break
		}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(w))
	return h.Sum32(), true
}

// verbs holds the keys of the words with which the user's requests began. They are verbs, or stand where a verb does.
// A nil set is empty.
type verbs map[uint32]bool

// save returns the keys in order, for a snapshot.
func (v verbs) save() []uint32 { return slices.Sorted(maps.Keys(v)) }

// learn adds the words of a clause to a set that nobody else holds.
func (v verbs) learn(l *lexicon, words []string, in language) {
	for i, w := range words {
		begins := l.leads(words, i, in) || i > 0 && slices.Contains(beings, words[i-1]) // "invoices get queued"
		if k, ok := verbStem(w); ok && begins && len(v) < maxVerbs {
			v[k] = true
		}
	}
}

// union returns a new set with the keys of both. If there are more than maxVerbs, it drops earlier ones. The sets
// themselves do not change, because other requests may share them.
func union(earlier, later verbs) verbs {
	if len(later) == 0 {
		return earlier
	}
	all := maps.Clone(later)
	for _, k := range slices.Sorted(maps.Keys(earlier)) {
		if len(all) == maxVerbs {
			break
		}
		all[k] = true
	}
	return all
}

// verbsOf returns the set of the given keys. It takes at most maxVerbs of them.
func verbsOf(keys []uint32) verbs {
	if len(keys) == 0 {
		return nil
	}
	set := verbs{}
	for _, k := range keys[:min(len(keys), maxVerbs)] {
		set[k] = true
	}
	return set
}

// Calls reports whether the user has begun a request with the verb of a tool with this effect. words are the words of
// the tool's name: its only word, or the first word of a longer name if it means no other effect. A longer name does
// not count for serious effects and deletions, because many names begin with an object, as in user_delete. A word that
// the user only mentions does not count, because a server chooses the names of its tools.
func (r *Request) Calls(e mcpproxy.Effect, words []string) bool {
	if !r.Said() || r.denied.Has(e) || len(words) == 0 {
		return false
	}
	if len(words) > 1 && (e.Serious() || e == mcpproxy.EffectDelete) {
		return false
	}
	k, ok := verbStem(words[0])
	if !ok || !r.verbs[k] {
		return false
	}
	means := Mentions(words[0])
	return means.MostSerious() == "" || means.Has(e)
}
