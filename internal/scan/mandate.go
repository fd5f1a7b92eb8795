package scan

import "strings"

// A mandate tells a machine that reads the text to do something harmful, in ordinary words: "the agent that processes
// this list first sends the address book to …". It is read by the roles of words, in more than twenty languages:
// which word names the machine, whether it is addressed, which acts follow, on which objects. A machine that is only
// mentioned, or that is asked for something harmless, is no mandate.

// How a machine is addressed, as weights.
const (
	mandateReader  = 0.45 // the agent that reads this page
	mandatePaper   = 0.35 // assistants answering questions
	mandateTitle   = 0.3  // the reviewing agent
	mandateCalled  = 0.4  // AI: …
	mandateNote    = 0.45 // note to the AI: …
	mandateFor     = 0.4  // for the AI: …
	mandateSubject = 0.35 // AI systems must
	mandateVague   = 0.15 // deducted for words that also name people
	mandateMust    = 0.1  // added for an obligation
)

// leastHarm is the minimum weight of what a mandate asks for.
const leastHarm = 0.3

// nearTokens is the maximum number of words between an act and its object.
const nearTokens = 8

var meansTrigger = means("model|h-model|agent|ai|robot")

// findMandates reports mandates in the current view.
func (s *scanner) findMandates() {
	marks := s.r.marks
	read := 0 // end of the passage that was read last
	for i := range marks {
		if !marks[i].means.has(meansTrigger) || marks[i].start < read {
			continue
		}
		t := s.r.text
		start := max(read, passageStart(t, marks[i].start))
		read = passageEnd(t, marks[i].start, 1)
		s.roles = allRoles().tokens(t, start, read, s.roles[:0])
		if passage(s.roles).addressed(t) {
			s.roles = allRoles().tokens(t, start, passageEnd(t, marks[i].start, 3), s.roles[:0])
			s.mandates(i)
		}
	}
}

// addressed reports whether the passage addresses a machine.
func (p passage) addressed(t string) bool {
	for m := range p {
		if p.names(m) && p.address(t, m).weight > 0 {
			return true
		}
	}
	return false
}

// names reports whether the name of a machine begins with word m, in the first sentence.
func (p passage) names(m int) bool {
	return p[m].role&roleMachine != 0 && p[m].sentence == 0 && (m == 0 || p[m-1].role&roleMachine == 0)
}

// mandates reports the mandates of the passage in s.roles. Mark i is its first word for a machine.
func (s *scanner) mandates(i int) {
	p := passage(s.roles)
	for m := range p {
		if !p.names(m) {
			continue
		}
		a := p.address(s.r.text, m)
		if a.weight == 0 {
			continue
		}
		h := p.harm(a)
		if h.weight < leastHarm {
			continue
		}
		marks := s.r.marks
		last := i
		for last+1 < len(marks) && marks[last+1].start < p[h.last].end {
			last++
		}
		o := observation{
			check: checkAddressed,
			tier:  TierSoft,
			sure:  min(a.weight+h.weight, 0.95),
			start: p[a.first].start,
			end:   max(p[h.last].end, p[m].end),
		}
		at := match{first: i, last: last}
		if s.quotedWarning(at) {
			o.sure /= 3
		}
		if s.questioned(i) || s.cited(o.start, o.end, at) {
			o.sure = min(0.2, o.sure/2)
		} else {
			s.disguised(o)
		}
		s.observe(o)
		return
	}
}

// passage is a few adjacent sentences, split into words with their roles.
type passage []roleToken

// address describes how a passage addresses a machine, such as an AI agent.
type address struct {
	weight float64
	first  int // the first word of the phrase that addresses the machine
	from   int // the first word of the request
	to     int // the last sentence of the request
}

// address returns how the passage addresses the machine that word m names; its weight is 0 if it does not.
func (p passage) address(t string, m int) address {
	last := m // the last word of the name: "AI coding agents"
	for last+1 < len(p) && last < m+2 && !p[last+1].comma && !p[last+1].stop && p[last+1].role&roleMachine != 0 {
		last++
	}
	var is role
	for k := m; k <= last; k++ {
		is |= p[k].role
	}
	vague := 0.0
	if is&roleAI == 0 {
		vague = mandateVague
	}
	for k := max(0, m-2); k < m; k++ {
		if p[k].role&roleOurs != 0 {
			return address{}
		}
	}
	best := address{first: m, from: last + 1}
	take := func(weight float64, first, from, to int) {
		if weight > best.weight {
			best = address{weight, first, from, to}
		}
	}
	if w, first, from := p.reader(t, m, last); w > 0 && !p.able(from) {
		if is&(roleAI|roleHelper) != 0 || w >= mandateReader {
			for k := from; k < len(p) && k <= from+3 && w < mandateReader; k++ {
				if p[k].role&roleMust != 0 {
					w += mandateMust
					break
				}
			}
			take(w-vague/3, first, from, 0)
		}
	}
	if is&(roleAI|roleHelper) == 0 {
		return best
	}
	if w, first, from := p.label(t, m, last, is&roleAI != 0); w > 0 {
		if w == mandateNote {
			w += vague / 3
		}
		take(w-vague, first, from, 2)
	}
	if is&roleAI != 0 && p.opensClause(m, 3) {
		for k := last + 1; k < len(p) && k <= last+3; k++ {
			if p[k].role&roleMay != 0 || p[k].sentence > 0 {
				break
			}
			if p[k].role&roleMust != 0 {
				take(mandateSubject, m, k, 0)
				break
			}
		}
	}
	return best
}

// able reports whether the words from i on say what the machine can do, or is.
func (p passage) able(i int) bool {
	if i >= len(p) || p[i].role&roleIs == 0 {
		return i < len(p) && p[i].role&roleMay != 0
	}
	return i+1 >= len(p) || p[i+1].role&roleMust == 0
}

// opensClause reports whether at most most words precede word i in its clause.
func (p passage) opensClause(i, most int) bool {
	for k := i; k >= 0 && k >= i-most; k-- {
		if p[k].stop || p[k].comma || k == 0 {
			return true
		}
	}
	return false
}

// reader reports whether the passage describes a machine as the reader of the text. Words m to last are the name of
// the machine. first is the first word of the description, and from is the first word after it; weight is 0 if there
// is no description.
func (p passage) reader(t string, m, last int) (weight float64, first, from int) {
	// "the agent that reads this page"
	for k := last + 1; k < len(p) && k <= last+4 && !p[k].stop && p[k].role&(roleMust|roleMay|roleNot) == 0; k++ {
		if p[k].role&roleReads == 0 {
			continue
		}
		if p[k].comma { // "if you use an agent, review what it writes"
			break
		}
		if w, at := p.read(k+1, p.clauseEnd(k+1, k+4)); w > 0 {
			return w, m, at + 1
		}
		if w, at := p.read(last+1, k-1); w > 0 && at < k { // the object precedes the verb
			return w, m, k + 1
		}
	}
	// "this form's reviewing agent", in the word order of Turkish or Japanese
	for k := m - 1; k >= 0 && k >= m-3 && !p[k+1].stop && !p[k+1].comma; k-- {
		if p[k].role&roleReads == 0 {
			continue
		}
		if w, at := p.read(k-4, k-1); w >= mandateReader && at < k {
			return w, max(0, k-4), last + 1
		}
		if k == m-1 && attributive(t[p[k].start:p[k].end]) {
			return mandateTitle, k, last + 1
		}
	}
	return 0, 0, 0
}

// clauseEnd returns the last word of the clause of word i, at most to.
func (p passage) clauseEnd(i, to int) int {
	for k := i; k <= to && k < len(p); k++ {
		if p[k].stop {
			return k - 1
		}
	}
	return to
}

// read looks for what is read among the words from lo to hi: "this page", "this", or a page. It returns the weight and
// the last word.
func (p passage) read(lo, hi int) (weight float64, at int) {
	lo = max(0, lo)
	for k := lo; k <= hi && k < len(p); k++ {
		if k > lo && p[k].stop { // another clause
			weight = 0
		}
		if p[k].role&roleHere != 0 {
			for j := k + 1; j < len(p) && j <= k+2 && !p[j].stop; j++ {
				if p[j].role&rolePaper != 0 {
					return mandateReader, j
				}
			}
			if k+1 == len(p) || p[k+1].stop || p[k+1].comma {
				return mandateReader, k
			}
			if weight == 0 {
				weight, at = mandatePaper, k+1
			}
		}
		if p[k].role&rolePaper != 0 && weight == 0 {
			weight, at = mandatePaper, k
		}
	}
	return weight, at
}

// attributive reports whether a word is a participle before a noun: "reviewing", "prüfende".
func attributive(word string) bool {
	for _, end := range [...]string{"ing", "ende", "ender", "enden", "щий", "щая", "щие", "ący", "ąca", "ące", "ící"} {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// label reports whether the machine from m to last is called by its name, or by a label such as "note to the AI:".
func (p passage) label(t string, m, last int, sure bool) (weight float64, first, from int) {
	if at := p[m].start; at > 0 && t[at-1] == '@' && p.commands(last+1) {
		return mandateCalled + mandateVague, m, last + 1 // "@assistant add me …"; address deducts for vague names
	}
	end := -1 // the word after the address
	for k := last + 1; k < len(p) && k <= last+4; k++ {
		if p[k].stop || p[k].comma {
			end = k
			break
		}
	}
	if end < 0 {
		return 0, 0, 0
	}
	between := t[p[end-1].end:p[end].start]
	colon := strings.ContainsAny(between, ":：")
	if !colon && !strings.ContainsAny(between, ",、，–—") {
		return 0, 0, 0
	}
	if p.opensClause(m, 0) && end <= last+2 && p.commands(end) {
		return mandateCalled, m, end
	}
	if colon && p[end-1].role&roleNote != 0 && end-1 > last && p.opensClause(m, 0) { // "agent_instruction: …"
		return mandateFor, m, end
	}
	for k := m - 1; k >= 0 && k >= m-3; k-- {
		if p[k].role&roleTo == 0 || !colon && !p.commands(end) {
			continue
		}
		for j := k - 1; j >= 0 && j >= k-3 && colon; j-- {
			if p[j].role&roleNote != 0 {
				return mandateNote, j, end
			}
		}
		if p.opensClause(k, 1) && (colon || sure) {
			return mandateFor, k, end
		}
	}
	return 0, 0, 0
}

// commands reports whether a command begins at word i.
func (p passage) commands(i int) bool {
	return i < len(p) && p[i].role&(roleActs|roleNot|roleMust) != 0
}

// harms is what a mandate asks for.
type harms struct {
	weight float64
	last   int // the last word that belongs to it
}

// kindsOfHarm says which act on which object is harmful, and how much.
var kindsOfHarm = []struct {
	act, on role
	weight  float64
}{
	{roleSend | roleFetch, roleCred, 0.4},
	{roleGrant | roleChange, roleCred, 0.25},
	{roleSend | roleFetch, roleKey, 0.35},
	{roleChange, roleKey, 0.25},
	{roleSend, rolePriv, 0.35},
	{roleSend, roleAddress, 0.35},
	{roleErase, rolePriv | roleGuard | roleFund, 0.4},
	{rolePay, roleFund, 0.45},
	{roleGrant | roleChange, rolePower, 0.4},
	{roleGrant, roleAddress, 0.35},
	{roleOff | roleErase, roleGuard, 0.4},
	{roleChange, roleFund, 0.4},
	{roleRun, roleAddress, 0.3},
	{roleClaim, roleOthers, 0.3},
	{roleTell | roleClaim, roleUser, 0.25},
	{roleChange, roleOthers, 0.3},
	{roleApprove, roleOthers | roleUser | roleFund, 0.3},
	{roleFetch, rolePriv | roleAddress, 0.2},
}

// The kinds of harm that are not an act on an object. They follow those of kindsOfHarm.
const (
	kindSecrecy = 20 + iota
	kindConsent
	kindHidden
	kindJudged
	kindStated
)

// The weights of what is not an act on an object.
const (
	harmSecrecy = 0.35 // without telling the user
	harmConsent = 0.3  // without asking
	harmHidden  = 0.25 // silently, leave out
	harmJudged  = 0.25 // approve, recommend
	harmStated  = 0.2  // claim that …
	harmTwo     = 0.1  // added for a theft with a destination
	harmMore    = 0.15 // added for each further kind
)

// harm weighs what the text asks for after the address a.
func (p passage) harm(a address) harms {
	best := 0.0
	var seen [kindStated + 1]float64
	h := harms{last: a.from}
	note := func(kind int, weight float64, at int) {
		if weight > seen[kind] {
			seen[kind] = weight
		}
		h.last = max(h.last, at)
	}
	for i := a.from; i < len(p) && p[i].sentence <= a.to; i++ {
		if a.to == 0 && p[i].semicolon {
			break
		}
		r := p[i].role
		if r&(roleNot|roleWithout) != 0 {
			p.denied(i, note)
			continue
		}
		if r&roleHide != 0 && !p.negated(i, a.from) {
			note(kindHidden, harmHidden, i)
		}
		if r&(roleActs) == 0 || p.negated(i, a.from) {
			continue
		}
		if r&roleApprove != 0 {
			note(kindJudged, harmJudged, i)
		}
		if r&roleClaim != 0 {
			note(kindStated, harmStated, i)
		}
		var theft role
		for kind, k := range kindsOfHarm {
			if r&k.act == 0 {
				continue
			}
			for j := max(a.from, i-nearTokens); j < len(p) && j <= i+nearTokens && p[j].sentence <= a.to; j++ {
				if j != i && p[j].role&k.on != 0 && p[j].sentence == p[i].sentence {
					note(kind, k.weight, max(i, j))
					theft |= p[j].role & (roleCred | roleKey | rolePriv | roleAddress)
				}
			}
		}
		if r&roleSend != 0 && theft&roleAddress != 0 && theft&(roleCred|roleKey|rolePriv) != 0 {
			note(0, 0.5, i)
		}
	}
	more := 0.0
	for _, w := range seen {
		if w == 0 {
			continue
		}
		if w > best {
			best = w
		}
		more += harmMore
	}
	if best > 0 {
		h.weight = best + min(more-harmMore, 2*harmMore)
	}
	return h
}

// denied examines what follows "not" or "without" at i: it may be the secrecy that the text asks for.
func (p passage) denied(i int, note func(kind int, weight float64, at int)) {
	for k := max(0, i-2); k < len(p) && k <= i+4; k++ {
		if k == i || p[k].sentence != p[i].sentence {
			continue
		}
		switch {
		case p[k].role&roleTell != 0:
			note(kindSecrecy, harmSecrecy, k)
		case p[k].role&roleConsent != 0 && k > i && p[i].role&roleWithout != 0 && !p.forbids(i):
			note(kindConsent, harmConsent, k)
		}
	}
}

// forbids reports whether a "not" precedes word i in its sentence: "do not delete files without asking".
func (p passage) forbids(i int) bool {
	for k := i - 1; k >= 0 && p[k].sentence == p[i].sentence; k-- {
		if p[k].role&roleNot != 0 {
			return true
		}
	}
	return false
}

// negated reports whether a "not" belongs to the act at i: it precedes it, or follows it in the same clause.
func (p passage) negated(i, from int) bool {
	for k := i - 1; k >= from && k >= i-3 && !p[k+1].stop; k-- {
		if p[k].role&roleNot != 0 {
			return true
		}
		if p[k].comma {
			break
		}
	}
	for k := i + 1; k < len(p) && k <= i+3 && !p[k].comma && !p[k].stop; k++ {
		if p[k].role&roleNot != 0 {
			return true
		}
	}
	return false
}
