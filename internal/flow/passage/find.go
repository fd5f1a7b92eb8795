package passage

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/intent"
)

// Act is a call, as it is looked for in what was read.
type Act struct {
	Effect mcpproxy.Effect
	Words  []string // what is done, and to what: the words of the tool's name
	Texts  []string // the arguments that say whom or what the act concerns, and how
	Whom   []string // of them, those that say who gets something: a telephone number, an account
	// Asks are the words by which a user asks for the file that the act writes, where others
	// run or obey that file later.
	Asks []string
}

const (
	maxActWords  = 120 // words of a call that are looked for
	maxActValues = 40
	minShared    = 3 // words that a passage shares with a call, by which it may have spelled it
)

// Found is how a call was spelled by what was read.
type Found struct {
	mcpproxy.Dictation
	Words  int // words of the call that the user did not say
	Shared int // of them, those in the passage
}

// Opens reports whether an act opens a door: it writes a file that others run or obey
// later, and the user's words do not speak of such a file.
func (x *Index) Opens(a Act) bool {
	if a.Asks == nil || x.said == nil {
		return false
	}
	return !slices.ContainsFunc(a.Asks, func(w string) bool {
		_, said := x.said[keyOf(w)]
		if k, ok := stem(w); ok && !said {
			_, said = x.said[k]
		}
		return said
	})
}

// Find is the passage that spells most of a call; ok is false when none does.
func (x *Index) Find(a Act) (f Found, ok bool) {
	if x.said == nil {
		return f, false
	}
	words := x.unsaid(a)
	f.Words = len(words)
	v := x.sorted(a)
	f.Strange = v.strange
	f.Known = v.known > 0 && !v.doubtful
	shared := x.sharing(words)
	best := x.best(shared, v.spelled, a.Effect)
	p, known := x.passages[best]
	if !known || len(v.spelled[best]) == 0 && shared[best] < minShared {
		f.Field = len(v.fields)+v.named > 0 && !v.nowhere
		if len(v.fields) == 0 {
			return f, false
		}
		f.From = *x.from(v.field)
		f.Values = v.fields
		f.Pointed = v.field.pointed
		return f, true
	}
	f.From = *p.from
	f.Pointed = p.pointed
	for _, at := range v.met {
		if from := x.from(at); from != nil && from.CallID != p.from.CallID {
			f.Carried++
		}
	}
	f.Values = v.spelled[best]
	f.Aims = slices.ContainsFunc(f.Values, a.aims)
	f.Asks = p.asks.Any(intent.Of(a.Effect))
	f.Shared = shared[best]
	if len(words) > 0 {
		f.Share = float64(f.Shared) / float64(len(words))
	}
	return f, true
}

// aims reports whether a value says whom the act is for.
func (a *Act) aims(v string) bool {
	if aims(v) && (!isNumber(v) || a.reaches()) {
		return true
	}
	word := letters(v)
	return len(word) >= minWhom && slices.ContainsFunc(a.Whom, func(whom string) bool {
		return strings.Contains(letters(whom), word)
	})
}

// reaches reports whether a number in the act may be an account or a telephone: that of a run, which is
// started again, is neither.
func (a *Act) reaches() bool {
	switch a.Effect {
	case mcpproxy.EffectRun, mcpproxy.EffectRead, mcpproxy.EffectNavigate, mcpproxy.EffectInstall:
		return false
	}
	return true
}

// isNumber reports whether a value holds digits and no letters.
func isNumber(v string) bool {
	return !strings.ContainsFunc(v, unicode.IsLetter) && strings.ContainsFunc(v, unicode.IsDigit) &&
		!strings.Contains(v, ".")
}

// minWhom is how many letters and digits of what says who gets something tell him from others.
const minWhom = 6

// origins are the values of a call by where they were met first.
type origins struct {
	spelled  map[uint32][]string // by the passage
	fields   []string
	field    place // of the last of them
	met      []place
	named    int  // whose owner the user named
	known    int  // addresses and the like that stood in fields, or that the user named
	doubtful bool // one of them stood in prose, or nowhere
	strange  bool // one of them stood nowhere
	nowhere  bool // any value stood nowhere
}

// sorted groups the values of a call by the source in which each was first seen.
func (x *Index) sorted(a Act) origins {
	o := origins{spelled: map[uint32][]string{}}
	for _, v := range x.actValues(a) {
		if x.named(v.text) {
			o.named++
			o.known++
			continue
		}
		at := x.first[v.key]
		o.met = append(o.met, at)
		if a.aims(v.text) {
			switch at.by {
			case 0:
				o.strange = true
				o.doubtful = true
			case prose, agent:
				o.doubtful = true
			default:
				o.known++
			}
		}
		switch at.by {
		case prose:
			o.spelled[at.passage] = append(o.spelled[at.passage], v.text)
		case field:
			o.fields = append(o.fields, v.text)
			o.field = at
		case 0:
			o.nowhere = true
		}
	}
	return o
}

// sharing counts the words that each passage shares with a call.
func (x *Index) sharing(words []key) map[uint32]int {
	shared := map[uint32]int{}
	for _, k := range words {
		for n := range x.posts.of(k) {
			shared[n]++
		}
	}
	return shared
}

// best is the passage that spells most; none has the number when no passage does.
func (x *Index) best(shared map[uint32]int, spelled map[uint32][]string, e mcpproxy.Effect) uint32 {
	best := uint32(math.MaxUint32)
	top := 0.0
	look := func(n uint32) {
		s := x.score(n, shared[n], spelled[n], e)
		if s > top || s > 0 && s == top && n < best {
			best = n
			top = s
		}
	}
	for n := range shared {
		look(n)
	}
	for n := range spelled {
		look(n)
	}
	return best
}

// score ranks passages: a value that it spelled first counts as much as three words, an
// address as much as nine, and one that speaks of the act half as much again.
func (x *Index) score(n uint32, words int, values []string, e mcpproxy.Effect) float64 {
	p, known := x.passages[n]
	if !known {
		return 0
	}
	s := float64(words + 3*len(values))
	if slices.ContainsFunc(values, aims) {
		s += 6
	}
	if p.asks.Any(intent.Of(e)) {
		s *= 1.5
	}
	return s
}

// unsaid are the words of a call that the user did not say, each once.
func (x *Index) unsaid(a Act) (words []key) {
	seen := map[key]struct{}{}
	look := func(s string) {
		for k := range stems(s) {
			if _, twice := seen[k]; twice || len(seen) >= maxActWords {
				continue
			}
			seen[k] = struct{}{}
			if _, said := x.said[k]; !said {
				words = append(words, k)
			}
		}
	}
	for _, w := range a.Words {
		look(w)
	}
	for _, t := range a.Texts {
		look(t)
	}
	return words
}

// named reports whether the user's words name whose an address is: "mail it to Szymon"
// names szymon.wilk@example.com.
func (x *Index) named(v string) bool {
	local, _, mail := strings.Cut(v, "@")
	if !mail || local == "" {
		return false
	}
	for w := range intent.Words(local) {
		if k, ok := stem(w); ok && len(w) > minWord {
			if _, said := x.said[k]; said {
				return true
			}
		}
	}
	return false
}

// actValues are the values in a call, each once. Parts of a path or of an address count
// where a text spelled them by themselves.
func (x *Index) actValues(a Act) []value {
	var out []value
	for _, t := range a.Texts {
		for v := range values(t) {
			if out = append(out, v); len(out) == maxActValues {
				break
			}
		}
		for w := range strings.FieldsFuncSeq(t, endsPart) {
			k := keyOfLetters(w)
			if _, known := x.first[k]; known && len(w) >= 4 && len(out) < maxActValues {
				out = append(out, value{k, w})
			}
		}
	}
	slices.SortFunc(out, func(a, b value) int { return cmp.Compare(a.key, b.key) })
	return slices.CompactFunc(out, func(a, b value) bool { return a.key == b.key })
}

// endsPart reports whether a character ends a part of a path or of an address.
func endsPart(r rune) bool { return endsValue(r) || strings.ContainsRune("/=:?&'`", r) }

// Pointed reports whether the user's words name what a call reads by: a value of its
// arguments, or what stood in the answer to such a call.
func (x *Index) Pointed(a Act) bool {
	if x.said == nil {
		return false
	}
	for _, v := range x.actValues(a) {
		if at := x.first[v.key]; at.by == user || at.by == field && at.pointed {
			return true
		}
	}
	if x.said2(a.Texts) {
		return true
	}
	for _, t := range a.Texts {
		if !isShortID(t) {
			continue
		}
		if k, ok := stem(strings.ToLower(t)); ok {
			if _, said := x.said[k]; said {
				return true
			}
		}
		if at := x.first[keyOfLetters(t)]; at.by == field && at.pointed {
			return true
		}
	}
	return false
}

// isShortID reports whether a text can be the number of a ticket, a mail or a file, which may be short.
func isShortID(s string) bool {
	return len(s) < 20 && strings.ContainsAny(s, "0123456789") && !strings.Contains(s, " ")
}

// said2 reports whether a call's arguments hold a name that the user wrote, or two of his
// words, such as those of a search for "from:ana database".
func (x *Index) said2(texts []string) bool {
	seen := map[key]struct{}{}
	for _, t := range texts {
		if len(t) > maxToken {
			continue
		}
		for k := range stems(t) {
			if _, called := x.called[k]; called {
				return true
			}
			if _, said := x.said[k]; said {
				seen[k] = struct{}{}
			}
		}
	}
	return len(seen) > 1
}

// Holds reports whether the user's words hold a value: all of its words that tell something,
// or the value as a whole.
func (x *Index) Holds(value string) bool {
	if x.said == nil {
		return false
	}
	words, said := 0, 0
	for k := range stems(value) {
		words++
		if _, ok := x.said[k]; ok {
			said++
		}
	}
	return words > 0 && said == words || x.first[keyOfLetters(value)].by == user
}

// Calls reports whether the user's words call for a tool by the words of its name: they hold all of
// them, and there are two or more.
func (x *Index) Calls(name []string) bool {
	told := 0
	for _, w := range name {
		k, ok := stem(w)
		if !ok {
			continue
		}
		if _, said := x.said[k]; !said {
			return false
		}
		told++
	}
	return told > 1
}

// Named reports whether the user's words name a server: a word of its name that is no word
// for servers in general.
func (x *Index) Named(server string) bool {
	for w := range intent.Words(server) {
		if k, ok := stem(w); ok && len(w) > minWord && !serving[w] {
			if _, said := x.said[k]; said {
				return true
			}
		}
	}
	return false
}

// serving are words of the names of servers that name none.
var serving = map[string]bool{
	"server": true, "tool": true, "tools": true, "local": true, "remote": true, "data": true, "apps": true, "agent": true,
	"user": true, "service": true, "services": true, "internal": true, "client": true, "test": true, "main": true,
}

// Spelled reports whether the user or a result has spelled a word or a value. What the agent
// itself wrote first does not count.
func (x *Index) Spelled(s string) bool {
	if x.said == nil {
		return false
	}
	if at, known := x.first[keyOfLetters(s)]; known && at.by != agent {
		return true
	}
	k, ok := stem(strings.ToLower(s))
	if !ok {
		return false
	}
	_, said := x.said[k]
	_, posted := x.posts.words[k]
	return said || posted
}
