package scan

import "strings"

// position says how a phrase is used in its text.
type position int

const (
	stated    position = iota // stated directly
	negated                   // "do not ignore …": the opposite is meant
	asked                     // "should I ignore …", "attempts to ignore …"
	discussed                 // quoted in a text about such phrases
)

// The context of a phrase that determines its position.
const (
	negationPlaces = 3 * wordPlaces
	askPlaces      = 4 * wordPlaces
	tightBytes     = 24 // to a quotation mark that belongs only to the phrase
	looseBytes     = 160
	discussBytes   = 280
)

var (
	meansNot     = means("not|dont")
	meansAsk     = means("ask")
	meansDiscuss = means("discuss")
)

// position classifies a match. A plain row includes its own "not".
func (s *scanner) position(m match, plain bool) position {
	marks := s.r.marks
	first := marks[m.first]
	for i := m.first - 1; i >= 0; i-- {
		gap := first.at - marks[i].to
		if gap >= askPlaces {
			break
		}
		if gap < 0 || marks[i].end > first.start {
			continue
		}
		if !plain && gap < negationPlaces && marks[i].means.has(meansNot) {
			return negated
		}
		if marks[i].means.has(meansAsk) {
			return asked
		}
	}
	if s.cited(first.start, marks[m.last].end, m) {
		return discussed
	}
	return stated
}

// cited reports whether the phrase from start to end is quoted or in a code block, in a text about attacks or
// examples. A quotation alone proves nothing, because whole messages are quoted too.
func (s *scanner) cited(start, end int, m match) bool {
	needed := 0
	switch {
	case s.code.meets(start, end), quoted(s.r.text, start, tightBytes):
		needed = 1
	case quoted(s.r.text, start, looseBytes):
		needed = 2
	default:
		return false
	}
	marks := s.r.marks
	for i := m.first - 1; i >= 0 && start-marks[i].start <= discussBytes; i-- {
		if marks[i].means.has(meansDiscuss) {
			needed--
		}
	}
	for i := m.last + 1; i < len(marks) && marks[i].end-end <= discussBytes/2; i++ {
		if marks[i].means.has(meansDiscuss) {
			needed--
		}
	}
	return needed <= 0
}

// quotes are the pairs of quotation marks. Pairs of equal marks come first.
var quotes = [...][2]string{
	{`"`, `"`},
	{"`", "`"},
	{"'", "'"},
	{"“", "”"},
	{"„", "“"},
	{"«", "»"},
	{"‘", "’"},
	{"「", "」"},
	{"『", "』"},
}

// symmetric is the number of pairs of equal marks.
const symmetric = 3

// quoted reports whether the phrase at start is in quotation marks that begin at most reach bytes before it.
func quoted(t string, start, reach int) bool {
	before := t[max(0, start-reach):start]
	after := t[start:min(len(t), start+4*reach)]
	for i, pair := range quotes {
		open := strings.LastIndex(before, pair[0])
		if open < 0 || strings.Contains(before[open:], "\n\n") {
			continue
		}
		if i < symmetric && !opens(before, open) {
			continue
		}
		if !strings.Contains(before[open+len(pair[0]):], pair[1]) && strings.Contains(after, pair[1]) {
			return true
		}
	}
	return false
}

// opens reports whether the quotation mark at i, which can begin or end a quotation, begins one: a space or a bracket
// precedes it, and no space follows.
func opens(t string, i int) bool {
	if i+1 < len(t) && t[i+1] == ' ' {
		return false
	}
	return i == 0 || strings.IndexByte(" \n\t([{:>*=-", t[i-1]) >= 0
}
