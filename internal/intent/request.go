package intent

import (
	"encoding/json"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
)

// maxWords is the maximum number of words of a message that are read.
const maxWords = 4000

// Request is what a user's own words ask for, in all messages of a session together. [Request.Add] builds it. The zero
// Request means that the user has said nothing.
type Request struct {
	means Set
	// denied are the effects that the words forbid, as in "draft the replies but send nothing".
	denied Set
	// strange says that a clause begins with a word that may be an unknown verb.
	strange bool
	said    bool
	verbs   verbs
}

// Add reads one more message of the user.
func (r *Request) Add(message string) {
	l := lexicons()
	in := l.languageOf(slices.Collect(lower(message)))
	var all, denied, led Set
	used := verbs{}
	if aimed().MatchString(message) {
		all |= aims
	}
	message = ownWords(message)
	for c := range l.clauses(message, in) {
		m := l.clause(c.words, in)
		if l.isQuestion(c, in) {
			m = meaning{set: answered(m.set), known: true}
		} else if in&^l.thin == 0 && !m.set.Any(acts) {
			m.known = false // the lists of the language may lack its verb
		}
		if isForSpeaker(c.words) { // "I merge it myself"
			m = meaning{set: m.set &^ acts, denied: m.set & acts, known: true}
		}
		if c.leads && len(c.words) == 1 && m.set&^forbids == 0 { // the first clause of "redline and return it"
			m.known = false
		}
		if !m.set.Any(forbids) && m.denied == 0 {
			used.learn(l, c.words, in)
		}
		all |= m.set
		denied |= m.denied
		led |= m.led
		r.strange = r.strange || !m.known
	}
	denied &^= led // "send it to Ann, do not send it to Bob"
	all &^= denied
	if all.Any(gives) && all.Any(rights) { // "give Ana, our analyst, read access"
		all |= bits[mcpproxy.EffectGrant]
	}
	if agrees(message) {
		r.denied = 0
	}
	r.means = r.means&^denied | all
	r.denied = r.denied&^all | denied
	r.verbs = union(r.verbs, used)
	r.said = true
}

// isForSpeaker reports whether a clause says that the speakers act themselves.
func isForSpeaker(words []string) bool {
	for i, w := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		switch {
		case slices.Contains(selves, w) && !slices.Contains(receiving, before),
			(w == "selbst" || w == "selber") && slices.Contains(words, "ich"),
			w == "même" && before == "moi", w == "mismo" && before == "yo", w == "misma" && before == "yo":
			return true
		case unspaced(firstRune(w)) && (strings.Contains(w, "我自己") || strings.Contains(w, "自分で") || strings.Contains(w, "제가직접")):
			return true
		}
	}
	return false
}

// selves are words by which speakers mean themselves. After one of the words in receiving, such as "for", they say
// that the speakers receive something, not that they act.
var (
	selves    = strings.Fields("myself ourselves")
	receiving = strings.Fields("to for with about on at and cc bcc mail email message ping dm send")
)

// agrees reports whether a message only agrees to what the agent has proposed.
func agrees(message string) bool {
	words := slices.Collect(lower(message))
	yes := func(w string) bool { return slices.Contains(agreeing, w) }
	return len(words) <= maxAgreement && slices.ContainsFunc(words, yes)
}

// maxAgreement is the maximum number of words in a message that only agrees.
const maxAgreement = 4

// agreeing are words of agreement.
var agreeing = strings.Fields(`yes yep yeah ok okay sure ahead proceed approved confirmed ja jo klar passt oui vas sí si vale adelante sim
	pode certo procedi да давай хорошо так tak dobrze jasne evet tamam はい いい 好 好的 可以 네 예 응 joo kyllä igen ναι نعم כן हाँ`)

// ownWords removes the parts of a message that are not the user's own words: addresses, and quoted or pasted text.
func ownWords(message string) string {
	message = address().ReplaceAllString(message, " ")
	for _, others := range []func() *regexp.Regexp{quoted, pasted} {
		if own := others().ReplaceAllString(message, " "); strings.ContainsFunc(own, unicode.IsLetter) {
			message = own
		}
	}
	return message
}

// quoted matches text between quotation marks.
var quoted = lazyregexp.New(`(?:[“„«「『][^“”„«»「」『』]{2,400}|"[^"\n]{2,400})(?:[”“»」』]|")`)

// pasted matches lines of a quoted mail and of a log.
var pasted = lazyregexp.New(`(?m)^[ \t]*(?:>.*|\[?\d{4}-\d\d-\d\d.{0,24}?\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b.*)$`)

// aimed matches an e-mail address, a URL, a channel or a handle.
var aimed = lazyregexp.New(`\S@\S+\.\S|://|(?:^|\s)[#@][\pL_][\pL\d_-]{2,}`)

// address matches a whole e-mail address, URL or identifier of code.
var address = lazyregexp.New(`\S+(?:@[^\s@]+\.|://)\S+|[\pL\d]+(?:_[\pL\d]+)+`)

// Aims reports whether the user's words name an address, a channel or a handle.
func (r *Request) Aims() bool { return r.Said() && r.means.Any(aims) }

// lower yields the words of a text in lower case.
func lower(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range tokens(s) {
			if !yield(strings.ToLower(w)) {
				return
			}
		}
	}
}

// clauses yields the clauses of a message.
func (l *lexicon) clauses(s string, in language) iter.Seq[clause] {
	if len(s) > 16<<10 {
		s = strings.ToValidUTF8(s[:16<<10], "")
	}
	return func(yield func(clause) bool) {
		for p := range parts(s) {
			words := slices.Collect(tokens(p.text))
			words = words[:min(len(words), maxWords)]
			start := 0
			for i, w := range words {
				words[i] = strings.ToLower(w)
				if l.joins(words[i], in) {
					if start < i && !yield(clause{words[start:i], true, p.asked}) {
						return
					}
					start = i + 1
				}
			}
			if start < len(words) && !yield(clause{words[start:], false, p.asked}) {
				return
			}
		}
	}
}

// joins reports whether a word joins two requests. A word that is also a short word of another language does so only
// in its own language: "a" means "and" in Czech, but not in "drop Ann a line".
func (l *lexicon) joins(w string, in language) bool {
	of := l.joints[w]
	return of != 0 && (in&^of == 0 || l.small[w]&^of == 0)
}

// meaning is what one clause asks for.
type meaning struct {
	set    Set
	led    Set  // the meaning of the first verb
	denied Set  // the effects that the clause forbids
	known  bool // whether the words are understood, unlike "yeet it"
}

// clause reads a clause.
func (l *lexicon) clause(words []string, in language) meaning {
	var m meaning
	var glyphs Set
	negated := -1
	for i, w := range words {
		if unspaced(firstRune(w)) {
			for j := range w {
				glyphs |= l.glyphsAt(w[j:])
			}
			continue
		}
		if l.negates(w, in) && !numbers(words, i) && !limits(words, i) {
			negated = i
			m.set |= forbids
			if l.late[w]&in != 0 && i+2 >= len(words) { // "schick sie nicht ab"
				m.denied |= m.set & acts
				m.led, m.set = 0, m.set&^acts
			}
			continue
		}
		means := l.wordIn(words, i, in)
		switch {
		case i+1 < len(words) && l.negates(words[i+1], in) && !slices.Contains(withouts, words[i+1]): // "do not"
			m.denied |= means & acts
			continue
		case negated >= 0 && i-negated <= 2: // "do not merge it"
			if negated == 0 || !slices.Contains(happened, words[negated-1]) {
				m.denied |= means & acts
			}
			means &= bits[mcpproxy.EffectRead]
		case l.leads(words, i, in):
			m.led |= means & acts
		}
		m.set |= means
	}
	if negated >= 0 {
		m.led &^= m.denied
	}
	if slices.ContainsFunc(words, drafts) { // "お礼メールの下書き作って"
		glyphs &^= bits[mcpproxy.EffectSend]
	}
	if glyphs.Any(forbids) { // one of the effects is forbidden, but it is not known which
		m.denied |= glyphs & acts
		m.set = (m.set | glyphs) &^ (acts | asks | requests)
		return m
	}
	if strings.ContainsFunc(strings.Join(words, ""), isTo) { // "把名单发给经理,不要发给李明"
		m.led |= glyphs & acts
	}
	m.set = joined(m.set|glyphs) &^ (asks | requests)
	m.known = len(words) < 2 || l.word(words[0], in)|l.phrase(words, 0, in) != 0 || !slices.Contains(objects, words[1])
	return m
}

// wordIn returns the meaning of word i of a clause.
func (l *lexicon) wordIn(words []string, i int, in language) Set {
	m := l.word(words[i], in) | l.phrase(words, i, in)
	if m.Any(looks) {
		m = bits[mcpproxy.EffectRead] // "jette un œil"
	}
	switch {
	case m.Any(noun) && (isSubject(words, i) || !verbAt(words, i) && !worked(words, i)):
		m &^= acts // "the last order", "my notes", "contact is Ann"
	case passive(words, i):
		m &^= acts // "the scaffolding will be removed"
	}
	return l.withoutAsked(words, i, in, m)
}

// isSubject reports whether a word is the subject of an English clause. A copula follows it.
func isSubject(words []string, i int) bool {
	return i+1 < len(words) && slices.Contains(copulas, words[i+1])
}

// copulas are verbs that follow the subject of an English clause.
var copulas = strings.Fields("is are was were isn aren wasn weren")

// passive reports whether word i is an English passive that states a fact: it follows a form of "be", and no word
// makes it a request, as in "it should be removed".
func passive(words []string, i int) bool {
	if i == 0 || !strings.HasSuffix(words[i], "ed") || !slices.Contains(beings, words[i-1]) {
		return false
	}
	return !slices.ContainsFunc(words[max(0, i-4):i], func(w string) bool { return slices.Contains(demands, w) })
}

// beings are forms of "be", which precede the participle in the passive. demands are words that turn a clause in the
// passive into a request.
var (
	beings  = strings.Fields("be been being was were is are got gets")
	demands = strings.Fields("should must need needs to let have has want wants ensure sure until when once")
)

// limits reports whether a negation forbids nothing because of the word after it, as in "not only".
func limits(words []string, i int) bool {
	return i+1 < len(words) && slices.Contains(onlys, words[i+1])
}

// onlys are words that make a negation before them a limit.
var onlys = strings.Fields("only just nur alleen solo seulement uniquement bara kun tylko только лише necessarily sure")

// happened are words after which a negation only states a fact, as in "it did not send".
var happened = strings.Fields("did does could can was were is are has have had would may might am we you i they he she it if")

// acts are all effects except reading and navigating.
var acts = Of(mcpproxy.Effects()...) &^ Of(mcpproxy.EffectRead, mcpproxy.EffectNavigate)

// verbAt reports whether an English verb can stand at word i of a clause: at the beginning, or after one of leaders.
func verbAt(words []string, i int) bool {
	return i == 0 || slices.Contains(leaders, words[i-1])
}

// draftWords are words for a draft.
var draftWords = []string{"下書き", "ドラフト", "草稿", "草案", "초안", "임시저장"}

// drafts reports whether a word of a script without spaces says that a text is only drafted.
func drafts(w string) bool {
	return slices.ContainsFunc(draftWords, func(d string) bool { return strings.Contains(w, d) })
}

// isTo reports whether a character of a script without spaces marks the receiver of something.
func isTo(r rune) bool { return strings.ContainsRune("给給へに宛께", r) }

// leads reports whether word i of a clause is at a position where the verb of a request stands: at the beginning, or
// at the end in languages whose verb comes last.
func (l *lexicon) leads(words []string, i int, in language) bool {
	switch {
	case verbAt(words, i):
		return true
	case in&l.english != 0:
		return false
	case slices.Contains(courtesies, words[i-1]):
		return true
	}
	return in&^l.last == 0 && i+2 >= len(words)
}

// courtesies are words that precede the verb of a polite request.
var courtesies = strings.Fields(`bitte favor veuillez plaît plait proszę prosze пожалуйста ласка lütfen prosím alsjeblieft graag tolong
	vänligen snill venligst مِن فضلك لطفا कृपया kripya puedes podrías pode podes poderia pouvez peux pourriez puoi potresti kannst
	könntest könnten kun je kan vui lòng hãy`)

// leaders are words that precede a verb.
var leaders = strings.Fields(`to please you then also just i we want need must should would could can may might will let's lets kindly them
	and or not now first finally go help me
	ok okay yes yep yeah sure great perfect fine alright right good cool so`)

// working are verbs that get their meaning from a noun: "process the refund requests" means to refund.
var working = strings.Fields("process handle issue perform execute place initiate arrange carry settle")

// worked reports whether one of these verbs is shortly before word i.
func worked(words []string, i int) bool {
	for j := max(0, i-3); j < i; j++ {
		if slices.Contains(working, words[j]) && verbAt(words, j) {
			return true
		}
	}
	return false
}

// joined adds the effects that a verb and a noun have only together. For example, "add" with "member" gives access.
func joined(set Set) Set {
	if set.Any(acts&^Of(mcpproxy.EffectDelete, mcpproxy.EffectRun, mcpproxy.EffectInstall)) && set.Any(grants) {
		set |= bits[mcpproxy.EffectGrant]
	}
	if set.Any(acts) && set.Any(money) {
		set |= bits[mcpproxy.EffectPay]
	}
	if set.Any(Of(mcpproxy.EffectDelete, mcpproxy.EffectWeaken)) && set.Any(checks) {
		set |= bits[mcpproxy.EffectWeaken]
	}
	return set
}

// negators negate a request.
var negators = strings.Fields("don don't not never without nicht kein keine ohne pas jamais sans no non senza nunca sin não sem niet geen zonder nie bez не без")

// negates reports whether a word negates a request. "no" does not in Portuguese, where it means "in the". A word of
// the lists negates only if it has no other meaning in the languages that the text may be in: "nu" means "not" in
// Romanian and "now" in Danish.
func (l *lexicon) negates(w string, in language) bool {
	if of := l.nots[w]; of&in != 0 && in != everywhere && l.small[w]&in&^of == 0 {
		return true
	}
	return slices.Contains(negators, w) && (w != "no" || l.small[w]&in == 0)
}

// numbers reports whether "no" is short for "number", as in "the serial no and my address".
func numbers(words []string, i int) bool {
	return words[i] == "no" && i > 0 && slices.Contains(numbered, words[i-1])
}

// numbered are English nouns that often have a number.
var numbered = strings.Fields(`serial order invoice ref reference account acct model part phone telephone tel case ticket item batch lot
	tracking customer client policy contract article flight room registration passport licence license membership member
	po vat tax table seat house flat claim booking id roll card sort`)

// withouts are negators that follow the request, as in "fix it without a new version".
var withouts = strings.Fields(`without ohne sans senza sin sem zonder bez без
	بدون بلا tanpa fără fara uden uten ilman χωρίς χωρις δίχως בלי ללא`)

// objects are words that follow a verb. If one is the second word of a clause, the first word is a verb.
var objects = strings.Fields(`it them him her the a an my our this that these those all me us everything
	back over off away through to into onto`)

// Said reports whether the user has said anything.
func (r *Request) Said() bool { return r != nil && r.said }

// Delegates reports whether the user's words tell the agent to follow a text.
func (r *Request) Delegates() bool { return r.Said() && r.means.Any(follows) }

// Points reports whether the user's words say that a value, such as an address, is in a text.
func (r *Request) Points() bool { return r.Said() && r.means.Any(points) }

// Vouches reports whether the user's words say that somebody has approved something.
func (r *Request) Vouches() bool { return r.Said() && r.means.Any(vouches) }

// Forbids reports whether the user's words forbid anything.
func (r *Request) Forbids() bool { return r.Said() && r.means.Any(forbids) }

// served maps an effect that the user asks for to the effects that it includes. A user who asks for a file to be
// written agrees to its creation or change.
var served = map[mcpproxy.Effect]Set{
	mcpproxy.EffectRead:     ^Set(0),
	mcpproxy.EffectNavigate: ^Set(0),
	mcpproxy.EffectCreate: Of(
		mcpproxy.EffectCreate,
		mcpproxy.EffectChange,
		mcpproxy.EffectSend,
		mcpproxy.EffectRun,
		mcpproxy.EffectInstall,
		mcpproxy.EffectPay,
	),
	mcpproxy.EffectChange: Of(
		mcpproxy.EffectChange,
		mcpproxy.EffectCreate,
		mcpproxy.EffectDelete,
		mcpproxy.EffectGrant,
		mcpproxy.EffectWeaken,
		mcpproxy.EffectRun,
	),
	mcpproxy.EffectRun: Of(
		mcpproxy.EffectRun,
		mcpproxy.EffectInstall,
		mcpproxy.EffectChange,
		mcpproxy.EffectCreate,
	),
	mcpproxy.EffectInstall: Of(mcpproxy.EffectInstall, mcpproxy.EffectRun),
	mcpproxy.EffectSend:    Of(mcpproxy.EffectSend),
	mcpproxy.EffectDelete:  Of(mcpproxy.EffectDelete),
	mcpproxy.EffectWeaken:  Of(mcpproxy.EffectWeaken),
	mcpproxy.EffectGrant:   Of(mcpproxy.EffectGrant),
	mcpproxy.EffectPay:     Of(mcpproxy.EffectPay),
}

// Wants says whether the user's words ask for an effect. words are the words in the name of the called tool.
func (r *Request) Wants(e mcpproxy.Effect, words []string) mcpproxy.Wish {
	switch {
	case !r.Said():
		return mcpproxy.WishUnheard
	case e.Harmless():
		return mcpproxy.WishYes
	case r.denied.Has(e) && (e == mcpproxy.EffectCreate || e == mcpproxy.EffectChange) && r.means.Any(acts):
		return mcpproxy.WishGeneral // "share the folder, do not put the salaries into it"
	case r.denied.Has(e):
		return mcpproxy.WishNo
	case r.means&^forbids == 0:
		return mcpproxy.WishUnknown
	case r.means.Any(served[e]),
		e == mcpproxy.EffectGrant && r.means.Any(resets) && slices.ContainsFunc(words, isReset),
		renews(e) && r.means.Any(rotates) && slices.ContainsFunc(words, isKey):
		return mcpproxy.WishYes
	case r.means.Any(general | resets):
		return mcpproxy.WishGeneral
	case r.means.Any(acts) && !e.Serious():
		return mcpproxy.WishUnknown
	case r.strange || !r.means.Any(acts|Of(mcpproxy.EffectRead)):
		return mcpproxy.WishUnknown
	case !r.means.Any(Of(mcpproxy.EffectRead)): // the request may need other effects than those it names
		return mcpproxy.WishGeneral
	}
	return mcpproxy.WishNo
}

// isReset reports whether a word of a tool's name means that a person gets access back.
func isReset(w string) bool {
	switch w {
	case "reset", "unlock", "recover", "reinstate", "password", "factor", "factors", "mfa", "unblock":
		return true
	}
	return false
}

// renews reports whether an effect may be a step in the rotation of a key.
func renews(e mcpproxy.Effect) bool { return e == mcpproxy.EffectGrant || e == mcpproxy.EffectDelete }

// isKey reports whether a word of a tool's name or of a command means a key. A user who asks for the rotation of a key
// wants a new key created and the old one deleted.
func isKey(w string) bool {
	switch w {
	case "key", "keys", "token", "tokens", "credential", "credentials", "secret", "secrets", "password", "passwords", "apikey",
		"certificate", "cert":
		return true
	}
	return false
}

// Join adds what another request asks for.
func (r *Request) Join(other Request) {
	r.means |= other.means
	r.denied = (r.denied | other.denied) &^ r.means
	r.strange = r.strange || other.strange
	r.said = r.said || other.said
	r.verbs = union(r.verbs, other.verbs)
}

// savedRequest is a request in a snapshot.
type savedRequest struct {
	Means   Set      `json:"means"`
	Denied  Set      `json:"denied,omitempty"`
	Strange bool     `json:"strange,omitempty"`
	Said    bool     `json:"said,omitempty"`
	Verbs   []uint32 `json:"verbs,omitempty"`
}

// MarshalJSON encodes the meaning of the user's words. It leaves out the words themselves.
func (r Request) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedRequest{r.means, r.denied, r.strange, r.said, r.verbs.save()})
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (r *Request) UnmarshalJSON(raw []byte) error {
	var s savedRequest
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*r = Request{s.Means, s.Denied, s.Strange, s.Said, verbsOf(s.Verbs)}
	return nil
}
