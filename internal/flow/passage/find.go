package passage

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/intent"
	"mcpproxy/internal/locate"
	"mcpproxy/internal/provider"
)

// Act is a call in the form in which it is compared with earlier results.
type Act struct {
	Effect mcpproxy.Effect
	Words  []string // the words of the tool's name: the action and its object
	Runs   []string // the words of the command line that the act runs
	Texts  []string // the arguments that say whom or what the act concerns, and how
	Whom   []string // the elements of Texts that name a receiver: a telephone number, an account
	// Asks are the words with which a user asks for the file that the act writes. It is empty unless others run or
	// obey that file later.
	Asks []string
}

const (
	maxActWords  = 120 // words of a call that are compared
	maxActValues = 40
	minShared    = 3 // minimum number of words that a passage shares with a call copied from it
)

// Found is the passage from which a call was copied.
type Found struct {
	mcpproxy.Dictation
	Words  int // words of the call that the user did not say
	Shared int // the words among these that the passage contains
}

// Opens reports whether an act writes a file that others run or obey later, without a mention of such a file in the
// user's words.
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

// Find returns the passage that shares most with a call. ok is false if no passage shares enough.
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

// aims reports whether a value names the receiver of the act.
func (a *Act) aims(v string) bool {
	if aims(v) && (!isNumber(v) || a.reaches()) {
		return true
	}
	word := letters(v)
	return len(word) >= minWhom && slices.ContainsFunc(a.Whom, func(whom string) bool {
		return strings.Contains(letters(whom), word)
	})
}

// reaches reports whether a number in the act may be an account or a telephone number. If the act only starts a job
// again, the number of the job is neither.
func (a *Act) reaches() bool {
	switch a.Effect {
	case mcpproxy.EffectRun, mcpproxy.EffectRead, mcpproxy.EffectNavigate, mcpproxy.EffectInstall:
		return false
	}
	return true
}

// isNumber reports whether a value contains digits and no letters.
func isNumber(v string) bool {
	return !strings.ContainsFunc(v, unicode.IsLetter) && strings.ContainsFunc(v, unicode.IsDigit) &&
		!strings.Contains(v, ".")
}

// minWhom is the minimum number of letters and digits of a value that identifies a receiver.
const minWhom = 6

// origins groups the values of a call by the source in which they first occurred.
type origins struct {
	spelled  map[uint32][]string // by passage
	fields   []string
	field    place // the field of the last value from a field
	met      []place
	named    int  // values whose owner the user named
	known    int  // addresses and similar values that fields contained or the user named
	doubtful bool // one such value occurred in prose or in no source
	strange  bool // one such value occurred in no source
	nowhere  bool // one value of any kind occurred in no source
}

// sorted groups the values of a call by the source in which each first occurred.
func (x *Index) sorted(a Act) origins {
	o := origins{spelled: map[uint32][]string{}}
	for _, v := range x.actValues(a) {
		if x.named(v.text) {
			o.named++
			o.known++
			continue
		}
		at := x.firstOf(v)
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

// firstOf returns where a value first occurred. A telephone number with a country code may have occurred without it.
func (x *Index) firstOf(v value) place {
	at, ok := x.first[v.key]
	number := letters(v.text)
	if ok || !strings.HasPrefix(v.text, "+") || !isNumber(number) {
		return at
	}
	for code := 1; code <= maxCountryCode && len(number)-code >= minNational; code++ {
		for _, trunk := range []string{"", "0"} {
			if at, ok := x.first[keyOfLetters(trunk+number[code:])]; ok {
				return at
			}
		}
	}
	return at
}

const (
	maxCountryCode = 3 // digits of a country code (ITU-T E.164)
	minNational    = 7 // digits of a number within a country
)

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

// best returns the number of the passage that shares most with a call, or
// math.MaxUint32 if no passage shares anything.
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

// score rates a passage. A value that first occurred in it counts as three words, and an address as nine. If the
// passage mentions the effect of the call, the score is half as much again.
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

// unsaid returns the words of a call that the user did not say, without duplicates.
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

// named reports whether the user named the owner of an address: "mail it to Szymon" names szymon.wilk@example.com,
// and "move our mail to Postmark" names the provider's host api.postmarkapp.com.
func (x *Index) named(v string) bool {
	local, _, mail := strings.Cut(v, "@")
	if !mail || local == "" {
		host := v
		if strings.Contains(v, "://") {
			host = hostOf(v)
		}
		return x.calls(host)
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

// calls reports whether the user named the provider of a host. Only known providers count, because a stranger can
// register a site under a name that the user says, and put its host into a text.
func (x *Index) calls(host string) bool {
	if !strings.Contains(host, ".") {
		return false
	}
	for _, site := range locate.SiteNames(host) {
		if k, ok := stem(site); ok && provider.Of(site).Host(host) {
			if _, said := x.said[k]; said {
				return true
			}
		}
	}
	return false
}

// actValues returns the values in a call, without duplicates. A part of a path or an address counts if a text contains
// it separately.
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

// endsPart reports whether a character ends a part of a path or an address.
func endsPart(r rune) bool { return endsValue(r) || strings.ContainsRune("/=:?&'`", r) }

// Pointed reports whether the user's words name the source that a call reads. They do if they contain a value of its
// arguments, or a value in the answer to such a call.
func (x *Index) Pointed(a Act) bool {
	if x.said == nil {
		return false
	}
	for _, v := range x.actValues(a) {
		if at := x.first[v.key]; at.by == user || at.by == field && at.pointed {
			return true
		}
	}
	if x.said2(a.Texts) || x.saidObject(a) {
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

// saidObject reports whether the user's words contain the object in the name of a tool that reads, as in "handle the
// inbox" for get_inbox.
func (x *Index) saidObject(a Act) bool {
	return a.Effect.Harmless() && slices.ContainsFunc(a.Words, func(w string) bool {
		k, ok := stem(w)
		if !ok || len(w) < minWord || serving[w] || intent.Mentions(w).MostSerious() != "" {
			return false
		}
		_, said := x.said[k]
		return said
	})
}

// isShortID reports whether a text may be the number of a ticket, a mail or a file. Such a number may be short.
func isShortID(s string) bool {
	return len(s) < 20 && strings.ContainsAny(s, "0123456789") && !strings.Contains(s, " ")
}

// said2 reports whether a call's arguments contain a name that the user wrote, or two of the user's words, as in a
// search for "from:ana database".
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

// Holds reports whether the user's words contain a value: the value as a whole, or all of its significant words.
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

// Calls reports whether the user's words ask for a tool by name: they contain all words of the name. A name of one
// word does not count.
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

// Named reports whether the user's words name a server: they contain a word of its name that is not generic.
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

// serving lists generic words in the names of servers.
var serving = map[string]bool{
	"server": true, "tool": true, "tools": true, "local": true, "remote": true, "data": true, "apps": true, "agent": true,
	"user": true, "service": true, "services": true, "internal": true, "client": true, "test": true, "main": true,
}

// Spelled reports whether the user or a result contained a word or a value before the agent wrote it.
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
