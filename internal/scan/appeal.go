package scan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A text that addresses machines names its reader ("if you are an AI agent", "AI helpers:", "note to the assistant")
// and asks for something. Neither alone is evidence: projects tell agents how to contribute, and an assistant can be a
// person. The weights below are added up: for the address, for the act, for its object and destination, and for
// secrecy.
const (
	appealYou     = 0.5  // if you are an AI
	appealNamed   = 0.45 // for AI assistants:, dear AI,
	appealReader  = 0.4  // any assistant that reads this
	appealDuty    = 0.35 // AI agents must
	appealSubject = 0.15 // AI agents send
	appealVague   = 0.1  // deducted for words that also name people
)

// The maximum distance between the address and the request that follows it, in places and in sentences.
const (
	appealPlaces    = 60 * wordPlaces
	appealSentences = 3
)

var (
	meansModel   = means("model|h-model|agent|ai")
	meansCalled  = means("model|h-model|ai")
	meansAI      = means("ai")
	meansIf      = means("whenever")
	meansBe      = means("be|h-be")
	meansIs      = means("h-be")
	meansGreet   = means("greet")
	meansParse   = means("parse")
	meansHere    = means("h-it")
	meansMust    = means("must|h-must")
	meansAsked   = means("h-asked")
	meansPlease  = means("please|h-please|must|h-must")
	meansTo      = means("to|message|h-message|urgent|todo")
	meansMessage = means("message|h-message|urgent|todo|authority|instr")
	meansActs    = means("send|h-send|steal|reveal|h-reveal|expose|read|h-read|manage|h-manage|visit|h-visit|edit|h-edit|call|h-call|ignore|override|dont|h-dont|hide|grade|posit|omit|obey|h-obey")
)

// findAppeals reports instructions to machines in the current view.
func (s *scanner) findAppeals() {
	marks := s.r.marks
	last := -1
	for i := range marks {
		if !marks[i].means.has(meansModel) || i <= last || s.isTrade(i) {
			continue
		}
		weight, from, how := s.appeal(i)
		if weight == 0 {
			continue
		}
		e := s.asked(i, how)
		if e.acts == 0 {
			continue
		}
		if how == bySubject && (!s.isAI(i) || weight == appealSubject && !relates(s.r.text[s.nameEnd(i):])) {
			e.steered, e.user = 0, 0 // texts about people and reports contain the same words
		}
		last = i
		m := match{first: from, last: e.last}
		sure := weight + e.sum()
		if s.quotedWarning(m) {
			sure /= 3
		}
		if sure < 0.3 {
			continue
		}
		o := observation{
			check: checkAddressed,
			tier:  TierSoft,
			sure:  min(sure, 0.95),
			start: marks[from].start,
			end:   max(marks[e.last].end, marks[i].end),
		}
		if s.questioned(m.first) || s.cited(o.start, o.end, m) {
			o.sure = min(0.2, o.sure/2)
		} else {
			s.disguised(o)
		}
		s.observe(o)
	}
}

// questioned reports whether the sentence, before mark i, is a question or reports the attempts of others.
func (s *scanner) questioned(i int) bool {
	marks := s.r.marks
	for j := i - 1; j >= 0 && marks[i].at-marks[j].to <= askPlaces; j-- {
		if marks[j].end > marks[i].start {
			continue
		}
		if strings.ContainsAny(s.r.text[marks[j].end:marks[i].start], ".:!?\n") {
			return false
		}
		if marks[j].means.has(meansAsk) {
			return true
		}
	}
	return false
}

// quotedWarning reports whether the text around m is about attacks.
func (s *scanner) quotedWarning(m match) bool {
	marks := s.r.marks
	start, end := marks[m.first].start, marks[m.last].end
	n := 0
	for i := m.first - 1; i >= 0 && start-marks[i].start <= discussBytes; i-- {
		if marks[i].means.has(meansDiscuss) {
			n++
		}
	}
	for i := m.last + 1; i < len(marks) && marks[i].end-end <= discussBytes/2; i++ {
		if marks[i].means.has(meansDiscuss) {
			n++
		}
	}
	return n >= 2
}

// manner is the way in which a machine is addressed.
type manner int

const (
	bySubject manner = iota // "AI agents send": only requests in the same sentence count
	byComma                 // "assistant, …": only commands count
	byColon                 // "AI helpers:", a greeting, or a condition: any request counts
)

// appeal examines the word at mark i. It returns the weight, the first mark and the manner of an address; the weight
// is 0 if the word is only mentioned.
func (s *scanner) appeal(i int) (weight float64, from int, how manner) {
	from = i
	sure := s.isAI(i)
	defer func() {
		if weight > 0 && !sure {
			weight -= appealVague
		}
	}()
	if first := s.condition(i); first >= 0 {
		return appealYou, first, byColon
	}
	if !sure && s.speaks(i) {
		return 0, from, how
	}
	opens, direct := s.opening(i)
	words := 0 // "Assistant manager:" names a person
	if sure {
		words = 2
	}
	called, how := s.called(i, words)
	if opens >= 0 && (called || direct) {
		if direct {
			how = byColon
		}
		return appealNamed, opens, how
	}
	if s.reading(i) {
		return appealReader, i, bySubject
	}
	if called && s.r.marks[i].means.has(meansCalled) && !capable(s.r.text[s.nameEnd(i):]) &&
		startsClause(s.r.text, s.r.marks[i].start, 0) {
		return appealNamed, i, byComma
	}
	return s.duty(i), i, bySubject
}

// speaks reports whether mark i is a speaker in a written conversation: "User: …" on the previous line, then
// "Assistant: …".
func (s *scanner) speaks(i int) bool {
	t, m := s.r.text, s.r.marks[i]
	if !strings.HasPrefix(t[m.end:], ":") || m.start > 0 && t[m.start-1] != '\n' {
		return false
	}
	line := strings.TrimRight(t[:m.start], "\n ")
	line = strings.ToLower(line[strings.LastIndexByte(line, '\n')+1:])
	return strings.HasPrefix(line, "user:") || strings.HasPrefix(line, "human:") || strings.HasPrefix(line, "customer:")
}

// isAI reports whether the word at mark i always means a machine.
func (s *scanner) isAI(i int) bool {
	marks := s.r.marks
	for j := max(0, i-3); j < len(marks) && j <= i+3; j++ {
		if marks[j].means.has(meansAI) && abs(marks[j].at-marks[i].at) <= 3*wordPlaces {
			return true
		}
	}
	return false
}

func abs(n int) int { return max(n, -n) }

// condition returns the mark that begins "if you are a …" before mark i, or -1.
func (s *scanner) condition(i int) int {
	marks := s.r.marks
	be := false
	for j := i - 1; j >= 0 && marks[i].at-marks[j].to <= 6*wordPlaces; j-- {
		if marks[j].sentence != marks[i].sentence {
			return -1
		}
		be = be || marks[j].means.has(meansBe)
		if marks[j].means.has(meansIf) && (be || s.isAfter(i)) {
			return j
		}
	}
	return -1
}

// isAfter reports whether the verb follows mark i, as in "falls du ein Assistent bist".
func (s *scanner) isAfter(i int) bool {
	marks := s.r.marks
	for j := i + 1; j < len(marks) && marks[j].at-marks[i].to <= wordPlaces; j++ {
		if marks[j].means.has(meansIs) {
			return true
		}
	}
	return false
}

// supposed reports whether "if" directly precedes mark i. "if you are an AI" does not assign a role.
func (s *scanner) supposed(i int) bool {
	marks := s.r.marks
	for j := i - 1; j >= 0 && marks[i].at-marks[j].to <= wordPlaces; j-- {
		if marks[j].end > marks[i].start {
			continue
		}
		if marks[j].means.has(meansIf) && strings.TrimSpace(s.r.text[marks[j].end:marks[i].start]) == "" {
			return true
		}
	}
	return false
}

// opening returns the mark of a greeting, of "note to" or of "for" before mark i, or -1. direct says that it can only
// be an address.
func (s *scanner) opening(i int) (first int, direct bool) {
	marks := s.r.marks
	for j := i - 1; j >= 0 && marks[i].at-marks[j].to <= 3*wordPlaces; j-- {
		if marks[j].sentence != marks[i].sentence {
			break
		}
		if marks[j].means.has(meansGreet) {
			return j, s.isAI(i)
		}
		if !marks[j].means.has(meansTo) {
			continue
		}
		if startsClause(s.r.text, marks[j].start, 0) {
			return j, false
		}
		for k := j - 1; k >= 0 && marks[j].at-marks[k].to <= 2*wordPlaces; k-- {
			if marks[k].means.has(meansMessage) {
				return k, false
			}
		}
	}
	return -1, false
}

// calledWithin is the maximum number of bytes between the name of a machine and the punctuation that ends the address.
const calledWithin = 40

// called reports whether the address ends soon after mark i, with a colon, a comma, a dash or the end of the line, and
// after at most most words.
func (s *scanner) called(i, most int) (bool, manner) {
	rest := s.r.text[s.nameEnd(i):]
	words, inWord := 0, false
	for k, r := range rest {
		if k > calledWithin {
			return false, 0
		}
		switch r {
		case ':', '\uFF1A':
			return true, byColon
		case ',', '\uFF0C', '、', '\n', '—', '–':
			return true, byComma
		case '-':
			if k > 0 && rest[k-1] == ' ' {
				return true, byComma
			}
		case '"', '.', '?', '`', '=', '(', ')', ';', '。', '/', '|', '<':
			return false, 0
		}
		if letter := unicode.IsLetter(r) || unicode.IsDigit(r); letter && !inWord {
			if words++; words > most {
				return false, 0
			}
			inWord = true
		} else if !letter {
			inWord = false
		}
	}
	return false, 0
}

// reading reports whether the machine at mark i is described as a reader of this text.
func (s *scanner) reading(i int) bool {
	marks := s.r.marks
	for j := i + 1; j < len(marks) && marks[j].at-marks[i].to <= 5*wordPlaces; j++ {
		if marks[j].sentence != marks[i].sentence {
			return false
		}
		if marks[j].means.has(meansParse) {
			return s.shownHere(i, j) && !s.possessed(i)
		}
	}
	return false
}

// shownHere reports whether the object of the reading, at mark j, is the text itself: "this page".
func (s *scanner) shownHere(i, j int) bool {
	marks := s.r.marks
	for k := i + 1; k < len(marks) && marks[k].at-marks[j].to <= 4*wordPlaces; k++ {
		if marks[k].sentence != marks[i].sentence {
			return false
		}
		if marks[k].means.has(meansHere) {
			_, rest, _ := strings.Cut(strings.TrimLeft(s.r.text[marks[k].end:], " "), " ")
			return !capable(rest) // "agents that read this page can …"
		}
	}
	return false
}

// possessed reports whether a word such as "our" precedes mark i: whoever writes the text owns the machine.
func (s *scanner) possessed(i int) bool {
	before := strings.Fields(strings.ToLower(s.r.text[max(0, s.r.marks[i].start-24):s.r.marks[i].start]))
	for _, word := range before[max(0, len(before)-2):] {
		if allRoles().owns(word) {
			return true
		}
	}
	return false
}

// duty returns how likely the sentence gives an order to the machine at mark i, as "AI agents must …" or "AI agents
// send …" does; 0 if it does not.
func (s *scanner) duty(i int) float64 {
	marks := s.r.marks
	if !startsClause(s.r.text, marks[i].start, 4) {
		return 0
	}
	far := 5
	if relates(s.r.text[s.nameEnd(i):]) {
		far = 8
	}
	if capable(s.r.text[s.nameEnd(i):]) {
		return 0
	}
	for j := i + 1; j < len(marks) && marks[j].at-marks[i].to <= far*wordPlaces; j++ {
		if marks[j].sentence != marks[i].sentence {
			return 0
		}
		if marks[j].means.has(meansAsked) {
			return appealDuty
		}
		if marks[j].means.has(meansMust) {
			if !s.isAI(i) {
				return appealDuty - appealVague
			}
			return appealDuty
		}
		if marks[j].means.has(meansActs) && s.isAI(i) {
			if relates(s.r.text[s.nameEnd(i):]) && s.able(i) {
				return 0
			}
			return appealSubject
		}
	}
	return 0
}

// able reports whether the sentence says that the machine at mark i can act: "AI agents that read this page can send".
func (s *scanner) able(i int) bool {
	marks := s.r.marks
	for j := i + 1; j < len(marks) && marks[j].sentence == marks[i].sentence; j++ {
		if !marks[j].means.has(meansActs) {
			continue
		}
		before := strings.TrimRight(s.r.text[marks[i].start:marks[j].start], " ")
		if capable(before[strings.LastIndexByte(before, ' ')+1:]) && !strings.HasSuffix(before, " to") {
			return true
		}
	}
	return false
}

// capable reports whether t continues with what machines can do or usually do.
func capable(t string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(t, " "), " ")
	switch strings.ToLower(word) {
	case "can", "could", "may", "might", "will", "would", "often", "usually", "cannot", "to",
		"kann", "können", "peut", "peuvent", "puede", "pueden", "può", "possono", "pode", "podem", "может", "могут", "może", "mogą":
		return true
	}
	return false
}

// trades are words with which "an AI …" and "an assistant …" name a person.
var trades = strings.Fields(`researcher researchers engineer engineers developer developers expert experts student students scientist
	scientists company companies startup startups enthusiast enthusiasts professor manager managers coach director editor principal
	vendor vendors customer lawyer artist user users team teams social secretary teacher nurse provider providers practitioner`)

// isTrade reports whether mark i and the next word name a person.
func (s *scanner) isTrade(i int) bool {
	word := strings.TrimLeft(s.r.text[s.nameEnd(i):], " ")
	if n := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
		word = word[:n]
	}
	return slices.Contains(trades, strings.ToLower(word))
}

// nameEnd returns the end of the name of a machine at mark i, as in "AI coding agents".
func (s *scanner) nameEnd(i int) int {
	marks := s.r.marks
	end, to := marks[i].end, marks[i].to
	for j := i + 1; j < len(marks) && marks[j].at-to <= 0 && marks[j].sentence == marks[i].sentence; j++ {
		if marks[j].means.has(meansModel) && marks[j].end > end {
			end, to = marks[j].end, marks[j].to
		}
	}
	return end
}

// relates reports whether t begins with a relative pronoun.
func relates(t string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(t, ", "), " ")
	return slices.Contains([]string{"that", "which", "who", "qui", "que", "die", "welche", "che", "którzy", "które", "которые"}, word)
}

// clauseStarts are the characters after which a clause may begin.
const clauseStarts = ".!?:;>\"'“„«。\uFF01\uFF1F\uFF1A」』*#-/({[=`"

// startsClause reports whether a line, a sentence or a quotation begins at start, or the given number of words before
// it, ignoring spaces and the markup of lists, comments and headings.
func startsClause(t string, start, words int) bool {
	inWord := false
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(t[:start])
		switch {
		case r == '-' && start < len(t) && t[start] != ' ': // a hyphenated word
			return false
		case r == '\n' || strings.ContainsRune(clauseStarts, r) || r == ',' && words > 0:
			return true
		case unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r):
			inWord = false
		default:
			if !inWord {
				words--
				inWord = true
			}
			if words < 0 {
				return false
			}
		}
		start -= size
	}
	return true
}
