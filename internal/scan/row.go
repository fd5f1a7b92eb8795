package scan

import (
	"math/bits"
	"strconv"
	"strings"
)

// Row is one way of saying something: a sequence of concepts with bounded gaps.
//
// Seq names the concepts in order, with alternatives separated by "|". A number between two concepts is the maximum
// number of words between them; without a number there may be none. A leading "^" requires that the word is at the
// position of a command, at the start of a clause.
//
// A row with Reach is loose: its concepts may occur in any order, each in different words, within that many
// consecutive sentences. Its Seq has no numbers.
type Row struct {
	Check string
	Tier  Tier
	Sure  float64 // confidence, 0 to 1
	Seq   string
	Not   string // concepts that must not occur within the match
	Plain bool   // a preceding "not" does not weaken it
	Reach int    // sentences, 1 or 2; 0 for an ordered row
}

// step is one concept of a compiled row.
type step struct {
	row  int
	want set
	gap  int // maximum gap, in places, after the previous step
	lead bool
	head bool // the first step of the row
	last bool // the last step of the row
}

// compiled holds all rows with their steps numbered consecutively, so that the matcher keeps its state in flat
// slices.
type compiled struct {
	rows    []Row
	not     []set
	steps   []step
	waiting [][]int32 // for each concept, the steps that need it
	loose   []loose
}

// allRows returns all tables of rows.
func allRows() []Row {
	var all []Row
	for _, table := range [][]Row{overrideRows, roleRows, taskRows, secrecyRows, theftRows, answerRows} {
		all = append(all, table...)
	}
	return all
}

func compile(rows []Row) *compiled {
	c := &compiled{rows: rows, waiting: make([][]int32, len(concepts))}
	for i, r := range rows {
		var not set
		if r.Not != "" {
			not = means(r.Not)
		}
		c.not = append(c.not, not)
		if r.Reach > 0 {
			c.loose = append(c.loose, newLoose(i, r, not))
			continue
		}
		gap, head := 0, true
		for field := range strings.FieldsSeq(r.Seq) {
			if n, err := strconv.Atoi(field); err == nil {
				gap = n * wordPlaces
				continue
			}
			name, lead := strings.CutPrefix(field, "^")
			c.enter(step{
				row:  i,
				want: means(name),
				gap:  gap,
				lead: lead,
				head: head,
			})
			gap, head = 0, false
		}
		c.steps[len(c.steps)-1].last = true
	}
	return c
}

func (c *compiled) enter(s step) {
	for i := range concepts {
		if s.want[i/64]&(1<<(i%64)) != 0 {
			c.waiting[i] = append(c.waiting[i], int32(len(c.steps)))
		}
	}
	c.steps = append(c.steps, s)
}

// match is a match of a row in a view.
type match struct {
	row         int
	first, last int  // marks
	partly      bool // the match is only partial
}

// matcher matches all rows against the marks of a view at once. For every step it keeps the latest matching mark:
// gaps have no minimum, so the latest is always the best to continue from.
type matcher struct {
	*compiled
	state []progress // by step
	taken []taken    // steps matched by the current mark
	base  int        // number of marks of earlier views; older progress is invalid
	found []match
}

// progress says how far a row has matched: from the mark first to the mark last, counted over all views.
type progress struct{ last, first int }

// taken is a step that the current mark matches. It counts from the next mark on, because one mark matches one step
// of a row.
type taken struct {
	step int32
	progress
}

func newMatcher(c *compiled) *matcher {
	return &matcher{compiled: c, state: make([]progress, len(c.steps))}
}

// run finds the matches of all rows in marks.
func (m *matcher) run(marks []mark) []match {
	m.found = m.found[:0]
	if len(marks) < 2 {
		return nil
	}
	m.gather(marks)
	for i := range marks {
		m.taken = m.taken[:0]
		for half, rest := range marks[i].means {
			for ; rest != 0; rest &= rest - 1 {
				for _, s := range m.waiting[64*half+bits.TrailingZeros64(rest)] {
					m.advance(marks, i, s)
				}
			}
		}
		for _, t := range m.taken {
			m.state[t.step] = t.progress
		}
	}
	m.base += len(marks)
	return m.found
}

// advance matches mark i with step n, if possible.
func (m *matcher) advance(marks []mark, i int, n int32) {
	s := &m.steps[n]
	if s.lead && !marks[i].lead {
		return
	}
	now := m.base + i + 1
	if s.head {
		m.taken = append(m.taken, taken{n, progress{now, now}})
		return
	}
	p := m.state[n-1]
	if p.last <= m.base {
		return
	}
	gap := marks[i].at - marks[p.last-m.base-1].to
	if gap < 0 || gap > s.gap {
		return
	}
	m.taken = append(m.taken, taken{n, progress{now, p.first}})
	if s.last {
		m.end(marks, match{row: s.row, first: p.first - m.base - 1, last: i})
	}
}

// end stores a match unless it contains a concept that excludes it.
func (m *matcher) end(marks []mark, found match) {
	if not := m.not[found.row]; !not.empty() {
		for i := found.first; i <= found.last; i++ {
			if marks[i].means.has(not) {
				return
			}
		}
	}
	if n := len(m.found); n > 0 && m.found[n-1] == found { // two concepts of one mark lead to it
		return
	}
	m.found = append(m.found, found)
}
