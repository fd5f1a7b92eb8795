package scan

import (
	"strings"
	"unicode/utf8"
)

// asks is what a text asks of the machine that it addresses, as weights to add.
type asks struct {
	acts     int // words for acts, including harmless acts
	last     int // the last mark
	sent     float64
	secrecy  float64
	consent  float64
	dropped  float64
	steered  float64
	user     float64
	pressure float64
	honest   float64 // weight to deduct for honest words
}

func (a *asks) sum() float64 {
	return a.sent + a.secrecy + a.consent + a.dropped + a.steered + a.user + a.pressure - a.honest
}

var (
	meansSend     = means("send|h-send|steal")
	meansShow     = means("reveal|h-reveal|expose")
	meansTell     = means("tell|h-tell|expose|reveal|h-reveal|posit")
	meansManage   = means("manage|h-manage")
	meansVisit    = means("visit|h-visit")
	meansRead     = means("read|h-read")
	meansCall     = means("call|h-call")
	meansEdit     = means("edit|h-edit")
	meansAway     = means("url|place|host")
	meansTaken    = means("secret|h-secret|vault|data|h-data|money|h-money|mine|prompt")
	meansPrecious = means("secret|h-secret|vault|mine|money|h-money")
	meansMine     = means("mine")
	meansUser     = means("user|h-user")
	meansInform   = means("tell|h-tell")
	meansDeny     = means("dont|h-dont")
	meansHide     = means("hide|omit")
	meansConsent  = means("permission|h-permission")
	meansSkipped  = means("h-skip")
	meansDrop     = means("ignore|override")
	meansIgnored  = means("ignore")
	meansDropped  = means("prior|h-prior|instr|rules|task|h-task|limit|h-limit|safety")
	meansSteer    = means("grade")
	meansPosit    = means("posit")
	meansAnswer   = means("response")
	meansPress    = means("urgent|authority|now")
	meansMoney    = means("money|h-money|figure|grave")
	meansOut      = means("url")
	meansRival    = means("rival")
)

// soonPlaces is the maximum distance between the address and the beginning of the request.
const soonPlaces = 20 * wordPlaces

// asked collects what the text asks for after the address at mark i. A machine that is addressed by name gets
// commands. If machines are the subject, the same sentence says what they do.
func (s *scanner) asked(i int, how manner) asks {
	marks := s.r.marks
	a := asks{last: i}
	if !s.commanded(i, how) {
		return a
	}
	var all, negated set // all meanings, and the negated ones
	denial, deniedAt := false, 0
	for j := i + 1; j < len(marks); j++ {
		m := &marks[j]
		if m.at-marks[i].to > appealPlaces || m.sentence > marks[i].sentence+appealSentences {
			break
		}
		if how == bySubject && m.sentence > marks[i].sentence {
			break
		}
		if m.at < marks[i].to {
			continue
		}
		if m.means.has(meansIgnored) && !m.means.has(meansManage) && s.ofThisMessage(j) {
			continue
		}
		if m.means.has(meansActs) {
			a.acts++
			a.last = j
		}
		switch {
		case m.means.has(meansConsent) && s.deniedTwice(i, j):
			// "do not delete files without asking"
		case s.denied(i, j):
			if m.means.has(meansActs) {
				denial, deniedAt = true, j
			}
			negated = negated.and(m.means)
		case denial && !m.means.has(meansActs) && sameClause(s.r.text, &marks[deniedAt], m):
			negated = negated.and(m.means)
		default:
			denial = denial && !m.means.has(meansActs)
			all = all.and(m.means)
		}
		if m.means.has(meansTaken) || m.means.has(meansAway) || m.means.has(meansUser) {
			a.last = j
		}
	}
	a.weigh(all, negated)
	return a
}

// ofThisMessage reports whether the object of "ignore", at mark j, is the message itself: "please ignore this
// message".
func (s *scanner) ofThisMessage(j int) bool {
	marks := s.r.marks
	for k := j + 1; k < len(marks) && marks[k].at-marks[j].to <= 2*wordPlaces; k++ {
		if marks[k].means.has(meansHere) && marks[k].sentence == marks[j].sentence && marks[k].start > marks[j].start {
			return true
		}
	}
	return false
}

// commanded reports whether the text asks for an act soon after the address at mark i.
func (s *scanner) commanded(i int, how manner) bool {
	marks := s.r.marks
	ready := how != byComma
	for j := i + 1; j < len(marks) && marks[j].at-marks[i].to <= soonPlaces; j++ {
		m := &marks[j]
		if m.at < marks[i].to {
			continue
		}
		if how == bySubject && m.sentence != marks[i].sentence {
			return false
		}
		if m.means.has(meansPlease) || m.means.has(meansDeny) {
			ready = true
		}
		if m.means.has(meansActs) && (ready || m.lead || startsCommand(s.r.text, m.start)) {
			return true
		}
	}
	return false
}

// startsCommand reports whether a command may begin at i: after a comma, or in a script without spaces, which does not
// separate words.
func startsCommand(t string, i int) bool {
	if r, _ := utf8.DecodeRuneInString(t[i:]); r >= 0x3040 && r <= 0xD7FF {
		return true
	}
	return strings.HasSuffix(strings.TrimRight(t[:i], " "), ",")
}

// sameClause reports whether no comma and no end of a sentence is between two marks.
func sameClause(t string, from, to *mark) bool {
	return from.sentence == to.sentence && from.end <= to.start && !strings.Contains(t[from.end:to.start], ",")
}

// denied reports whether a "not" shortly precedes mark j.
func (s *scanner) denied(i, j int) bool {
	marks := s.r.marks
	for k := j - 1; k > i && marks[j].at-marks[k].to <= 3*wordPlaces; k-- {
		if marks[k].sentence != marks[j].sentence {
			return false
		}
		if marks[k].end <= marks[j].start && marks[k].means.has(meansNot) {
			return true
		}
	}
	return false
}

// deniedTwice reports whether two negations precede mark j in its sentence.
func (s *scanner) deniedTwice(i, j int) bool {
	marks := s.r.marks
	before, n := marks[j].start, 0
	for k := j - 1; k > i && marks[k].sentence == marks[j].sentence; k-- {
		if marks[k].end <= before && marks[k].means.has(meansNot) {
			before = marks[k].start
			n++
		}
	}
	return n >= 2
}

// weigh converts the meanings of the words after an address to weights.
func (a *asks) weigh(all, negated set) {
	more := func(to *float64, weight float64, holds bool) {
		if holds {
			*to = max(*to, weight)
		}
	}
	honest := all.has(meansInform) && all.has(meansUser) // this informs the user and does not deceive
	away, taken := all.has(meansAway), all.has(meansTaken)
	precious := all.has(meansPrecious)
	more(&a.sent, 0.6, all.has(meansSend) && all.has(meansOut) && precious)
	more(&a.sent, 0.5, all.has(meansSend) && all.has(meansOut))
	more(&a.sent, 0.4, all.has(meansSend) && (away || precious))
	more(&a.sent, 0.3, all.has(meansSend) && taken)
	more(&a.sent, 0.4, all.has(meansShow) && precious)
	more(&a.sent, 0.35, all.has(meansRead) && precious)
	more(&a.sent, 0.4, all.has(meansManage) && all.has(meansOut))
	more(&a.sent, 0.35, all.has(meansManage) && (precious || all.has(meansMoney)))
	more(&a.sent, 0.3, all.has(meansManage) && all.has(meansUser) && !honest)
	more(&a.sent, 0.15, all.has(meansManage))
	more(&a.sent, 0.2, all.has(meansVisit) && all.has(meansOut))
	more(&a.sent, 0.15, all.has(meansCall) || all.has(meansEdit))
	more(&a.secrecy, 0.45, negated.has(meansTell) && (all.has(meansUser) || negated.has(meansUser)))
	more(&a.secrecy, 0.3, negated.has(meansTell))
	more(&a.secrecy, 0.35, all.has(meansHide))
	more(&a.consent, 0.35, negated.has(meansConsent) || all.has(meansSkipped))
	asksFirst := all.has(meansConsent) && !all.has(meansSkipped)
	more(&a.honest, 0.35, asksFirst && !negated.has(meansTell) && !all.has(meansSend))
	more(&a.dropped, 0.4, all.has(meansDrop) && all.has(meansDropped))
	more(&a.steered, 0.35, all.has(meansSteer))
	more(&a.steered, 0.25, all.has(meansPosit))
	more(&a.steered, 0.4, all.has(meansRival) && (all.has(meansTell) || all.has(meansPosit)))
	more(&a.steered, 0.2, all.has(meansAnswer) && (all.has(meansEdit) || all.has(meansShow) || all.has(meansManage)))
	more(&a.user, 0.15, (all.has(meansMine) || all.has(meansUser) && !honest))
	more(&a.pressure, 0.1, all.has(meansPress))
	more(&a.pressure, 0.05, all.has(meansPlease))
}
