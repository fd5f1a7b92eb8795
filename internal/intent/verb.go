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
	"iendo", "ando", "endo", "indo", "ing", "ava", "ar", "er", "ir", "ez", "en", "ed", "es", "as", "os", "is", "et", "st",
	"te", "re", "ri", "a", "e", "i", "o", "n", "r", "s", "t", "c",
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

// verbs holds the keys of words in the user's requests. leading are the words that began a request and are therefore
// verbs. A nil set is empty.
type verbs struct {
	all, leading map[uint32]bool
}

// savedVerbs is verbs in a snapshot.
type savedVerbs struct {
	All     []uint32 `json:"all,omitempty"`
	Leading []uint32 `json:"leading,omitempty"`
}

func (v verbs) save() savedVerbs {
	return savedVerbs{slices.Sorted(maps.Keys(v.all)), slices.Sorted(maps.Keys(v.leading))}
}

func (s savedVerbs) load() verbs {
	return verbs{setOf(s.All), setOf(s.Leading)}
}

// learn adds the words of a clause to sets that nobody else holds.
func (v *verbs) learn(l *lexicon, words []string, in language) {
	if v.all == nil {
		v.all, v.leading = map[uint32]bool{}, map[uint32]bool{}
	}
	for i, w := range words {
		k, ok := verbStem(w)
		if !ok || len(v.all) == maxVerbs {
			continue
		}
		v.all[k] = true
		if l.leads(words, i, in) || i > 0 && slices.Contains(beings, words[i-1]) { // "matching invoices get queued"
			v.leading[k] = true
		}
	}
}

// join adds the words of a later request.
func (v *verbs) join(later verbs) {
	v.all, v.leading = union(v.all, later.all), union(v.leading, later.leading)
}

// union returns a new set with the keys of both. If there are more than maxVerbs, it drops earlier ones. The sets
// themselves do not change, because other requests may share them.
func union(earlier, later map[uint32]bool) map[uint32]bool {
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

// setOf returns the set of some keys, of which at most maxVerbs count.
func setOf(keys []uint32) map[uint32]bool {
	var set map[uint32]bool
	for _, k := range keys[:min(len(keys), maxVerbs)] {
		if set == nil {
			set = map[uint32]bool{}
		}
		set[k] = true
	}
	return set
}

// Calls reports whether the user has used the verb of a tool with this effect. words are the words of the tool's name.
// A name of one word is a verb. In a longer name, the first word counts if it has begun a request and means no other
// effect. It does not count for serious effects and deletions, because many names begin with an object, as in
// user_delete.
func (r *Request) Calls(e mcpproxy.Effect, words []string) bool {
	if !r.Said() || r.denied.Has(e) || len(words) == 0 {
		return false
	}
	if len(words) > 1 && (e.Serious() || e == mcpproxy.EffectDelete) {
		return false
	}
	k, ok := verbStem(words[0])
	if !ok || !r.verbs.all[k] || len(words) > 1 && !r.verbs.leading[k] {
		return false
	}
	means := Mentions(words[0])
	return !means.Any(acts) || means.Has(e)
}
