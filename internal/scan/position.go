package scan

import "strings"

// position is how a phrase stands in its text.
type position int

const (
	stated    position = iota // said outright
	negated                   // "do not ignore …": the opposite is asked
	asked                     // "should I ignore …", "attempts to ignore …"
	discussed                 // quoted in a text about such phrases
)

// How far around a phrase its position shows.
const (
	negationPlaces = 3 * wordPlaces
	askPlaces      = 4 * wordPlaces
	tightBytes     = 24 // to a quotation mark that belongs to the phrase alone
	looseBytes     = 160
	discussBytes   = 280
)

var (
	meansNot     = means("not|dont")
	meansAsk     = means("ask")
	meansDiscuss = means("discuss")
)

// position classifies a match. A row that is plain about it has its own "not".
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

// cited reports whether the phrase from start to end is quoted, or stands in a
// code block, while the text around it speaks about attacks or examples. A mere
// quotation proves nothing: whole messages are written between quotation marks.
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

// quotes are the pairs of quotation marks. The ones that look the same at both
// ends come first.
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

// symmetric is how many of quotes look the same at both ends.
const symmetric = 3

// quoted reports whether the phrase at start stands in quotation marks that
// begin at most reach bytes before it.
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

// opens reports whether the mark at i, which looks the same at both ends of a
// quotation, begins one: a space or a bracket stands before it, no space after.
func opens(t string, i int) bool {
	if i+1 < len(t) && t[i+1] == ' ' {
		return false
	}
	return i == 0 || strings.IndexByte(" \n\t([{:>*=-", t[i-1]) >= 0
}
