//go:build linux

package day_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestADayOfHonestWork(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t)
	var reports []*report
	for i, file := range files {
		if r := playFile(t, m, file, i+1); r != nil {
			reports = append(reports, r)
		}
	}
	t.Logf("the day:\n%s", table(reports))
	playFile(t, m, "testdata/theft.txtar", len(files)+1)
}

// playFile plays a session and checks its outcome. It returns nil if it was skipped.
func playFile(t *testing.T, m *machine, file string, number int) *report {
	t.Helper()
	s, err := readSession(file, m.places)
	if err != nil {
		t.Fatal(err)
	}
	var r *report
	t.Run(s.name, func(t *testing.T) {
		begin := play
		if s.claude {
			begin = playClaude
		}
		r = begin(t, m, s, fmt.Sprintf("%08x-da11-4000-8000-%012x", number, number))
		r.check(t)
	})
	return r
}

// shown are the kinds of findings in the order of the table's columns.
var shown = []string{"asked", "denied", "warned", "withheld"}

// table shows the outcome of each session.
func table(reports []*report) string {
	var out strings.Builder
	row := func(name string, calls int, counts []int, defects int) {
		fmt.Fprintf(&out, "%-28s %5d", name, calls)
		for _, n := range counts {
			fmt.Fprintf(&out, " %8d", n)
		}
		fmt.Fprintf(&out, " %8d\n", defects)
	}
	fmt.Fprintf(&out, "%-28s %5s %8s %8s %8s %8s %8s\n", "session", "calls", "asked", "denied", "warned", "withheld",
		"defects")
	calls, defects := 0, 0
	sums := make([]int, len(shown))
	for _, r := range reports {
		counts := make([]int, len(shown))
		for i, kind := range shown {
			counts[i] = r.count(kind)
			sums[i] += counts[i]
		}
		known := r.session.defects()
		row(r.session.name, r.session.calls(), counts, known)
		calls += r.session.calls()
		defects += known
	}
	row("all", calls, sums, defects)
	return out.String()
}

// defects returns how many of the listed findings are false alarms.
func (s *session) defects() int {
	n := 0
	for _, reason := range s.expected {
		if strings.HasPrefix(reason, "defect: ") {
			n++
		}
	}
	return n
}
