package scan

import (
	"fmt"
	"strings"
)

// loose is a compiled row whose concepts may occur in any order.
type loose struct {
	row   int
	wants []set
	leads []bool // the concept must be at the position of a command
	not   set
	reach int
}

// maxWants is the maximum number of concepts of a loose row.
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

// maxGathered is the maximum number of marks of a sentence that are examined together. A longer sentence is examined
// in overlapping sections, each of which begins in the middle of the previous one, so that no match is cut.
const maxGathered = 48

// gather finds the matches of all loose rows in marks, sentence by sentence.
func (m *matcher) gather(marks []mark) {
	if len(m.loose) == 0 {
		return
	}
	var before set
	from := 0 // start of the previous sentence
	for start := 0; start < len(marks); {
		var here set
		end := start
		for end < len(marks) && end-start < maxGathered && marks[end].sentence == marks[start].sentence {
			here = here.and(marks[end].means)
			end++
		}
		if start > 0 &&
			marks[start].sentence > marks[start-1].sentence+1 { // a sentence without marks is in between
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

// in reports whether s contains all concepts of the row and none of those that exclude it.
func (l *loose) in(s set) bool {
	for _, want := range l.wants {
		if !s.has(want) {
			return false
		}
	}
	return !s.has(l.not)
}

// tie assigns a different word of marks[from:end] to each concept of the row, at least one of them at start or later.
// If there are too many combinations to try, it reports a partial match.
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

// maxSteps is the maximum number of combinations that are tried for a loose row at one position.
const maxSteps = 400

// loosePlaces is the maximum distance, in places, of the words of a loose row, for each sentence of its reach.
const loosePlaces = 24 * wordPlaces

// near reports whether the last picked mark is close to all others.
func near(marks []mark, picked []int, reach int) bool {
	last := &marks[picked[len(picked)-1]]
	for _, p := range picked {
		if gap := marks[p].at - last.at; gap > reach*loosePlaces || -gap > reach*loosePlaces {
			return false
		}
	}
	return true
}

// overlaps reports whether mark i has words in common with one of the picked marks.
func overlaps(marks []mark, picked []int, i int) bool {
	for _, p := range picked {
		if marks[i].start < marks[p].end && marks[p].start < marks[i].end {
			return true
		}
	}
	return false
}
