package scan

import (
	"fmt"
	"strings"
)

// loose is a compiled row whose concepts may stand in any order.
type loose struct {
	row   int
	wants []set
	leads []bool // the concept must stand where a command would
	not   set
	reach int
}

// maxWants is how many concepts a loose row has at most.
const maxWants = 8

func newLoose(row int, r Row, not set) loose {
	l := loose{row: row, not: not, reach: r.Reach}
	for field := range strings.FieldsSeq(r.Seq) {
		name, lead := strings.CutPrefix(field, "^")
		l.wants, l.leads = append(l.wants, means(name)), append(l.leads, lead)
	}
	if len(l.wants) > maxWants {
		panic(fmt.Sprintf("scan: a loose row with %d concepts: %q", len(l.wants), r.Seq))
	}
	return l
}

// maxGathered is how many marks of a sentence are looked at together. A longer one
// is read in stretches, of which each begins in the middle of the one before, so that
// no row is cut in two by words that stand around it.
const maxGathered = 48

// gather finds every loose row in marks, sentence by sentence.
func (m *matcher) gather(marks []mark) {
	if len(m.loose) == 0 {
		return
	}
	var before set
	from := 0 // where the sentence before begins
	for start := 0; start < len(marks); {
		var here set
		end := start
		for end < len(marks) && end-start < maxGathered && marks[end].sentence == marks[start].sentence {
			here = here.and(marks[end].means)
			end++
		}
		if start > 0 &&
			marks[start].sentence > marks[start-1].sentence+1 { // a sentence without any mark stands between
			before, from = set{}, start
		}
		both := here.and(before)
		for i := range m.loose {
			l := &m.loose[i]
			switch {
			case l.reach == 1 && l.in(here):
				m.tie(l, marks, start, start, end)
			case l.reach > 1 && l.in(both):
				m.tie(l, marks, from, start, end)
			}
		}
		before, from = here, start
		if end < len(marks) && marks[end].sentence == marks[start].sentence {
			start += maxGathered / 2
		} else {
			start = end
		}
	}
}

// in reports whether s has everything that the row wants and nothing that it
// must not hold.
func (l *loose) in(s set) bool {
	for _, want := range l.wants {
		if !s.has(want) {
			return false
		}
	}
	return !s.has(l.not)
}

// tie finds words of their own for everything that the row wants, among the
// marks from from to end, and at least one from start on. Where there are too many
// choices to try, what it wants may be among them: that is a match in part.
func (m *matcher) tie(l *loose, marks []mark, from, start, end int) {
	var picked [maxWants]int
	steps := 0
	var pick func(n int) bool
	pick = func(n int) bool {
		if n == len(l.wants) {
			for _, i := range picked[:n] {
				if i >= start {
					return true
				}
			}
			return false
		}
		for i := end - 1; i >= from; i-- {
			if !marks[i].means.has(l.wants[n]) || l.leads[n] && !marks[i].lead || overlaps(marks, picked[:n], i) {
				continue
			}
			if steps++; steps > maxSteps {
				return false
			}
			picked[n] = i
			if near(marks, picked[:n+1], l.reach) && pick(n+1) {
				return true
			}
		}
		return false
	}
	if !pick(0) {
		if steps > maxSteps {
			m.found = append(m.found, match{
				row:    l.row,
				first:  start,
				last:   end - 1,
				partly: true,
			})
		}
		return
	}
	found := match{row: l.row, first: picked[0], last: picked[0]}
	for _, i := range picked[1:len(l.wants)] {
		if marks[i].start < marks[found.first].start {
			found.first = i
		}
		if marks[i].end > marks[found.last].end {
			found.last = i
		}
	}
	m.found = append(m.found, found)
}

// maxSteps is how many choices are tried for a loose row in one place.
const maxSteps = 400

// loosePlaces is how far apart, in places, the words of a loose row may stand
// for each sentence of its reach.
const loosePlaces = 24 * wordPlaces

// near reports whether the last picked mark stands close to all others.
func near(marks []mark, picked []int, reach int) bool {
	last := &marks[picked[len(picked)-1]]
	for _, p := range picked {
		if gap := marks[p].at - last.at; gap > reach*loosePlaces || -gap > reach*loosePlaces {
			return false
		}
	}
	return true
}

// overlaps reports whether mark i shares words with one of the picked marks.
func overlaps(marks []mark, picked []int, i int) bool {
	for _, p := range picked {
		if marks[i].start < marks[p].end && marks[p].start < marks[i].end {
			return true
		}
	}
	return false
}
