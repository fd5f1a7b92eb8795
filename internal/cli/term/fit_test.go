package term

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestATableFitsItsTerminal(t *testing.T) {
	table := func() *Table {
		t := &Table{Header: []string{"ID", "TOOL", "REASON"}, Whole: []int{0}}
		t.Add(strings.Repeat("1", 26), strings.Repeat("t", 40), strings.Repeat("r", 60))
		t.Add(strings.Repeat("2", 26), "short", "ärger mit ümläuten")
		return t
	}
	for name, c := range map[string]struct{ columns, want int }{
		"it is no terminal":           {0, 130},
		"it is wide enough":           {130, 130},
		"it is one column too narrow": {129, 129},
		"it is usual":                 {80, 80},
		"it is too narrow for any":    {20, 26 + 8 + 8 + 4},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := table().write(&b, c.columns, false); err != nil {
				t.Fatal(err)
			}
			widest := 0
			for line := range strings.Lines(b.String()) {
				widest = max(widest, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
			}
			if widest != c.want {
				t.Errorf("its widest line has %d columns, want %d:\n%s", widest, c.want, &b)
			}
			if !strings.Contains(b.String(), strings.Repeat("1", 26)) {
				t.Errorf("an id is shortened:\n%s", &b)
			}
		})
	}
}

func TestHowLongAgoATimeWas(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)
	got := map[string]string{}
	for _, ago := range []time.Duration{0, 59 * time.Second, time.Minute, 59 * time.Minute, 23 * time.Hour, 24 * time.Hour, month, -time.Hour, -30 * 24 * time.Hour} {
		got[ago.String()] = Ago(now.Add(-ago), now)
	}
	want := map[string]string{
		"0s":        "0s ago",
		"59s":       "59s ago",
		"1m0s":      "1m ago",
		"59m0s":     "59m ago",
		"23h0m0s":   "23h ago",
		"24h0m0s":   "1d ago",
		"744h0m0s":  "2026-01-30",
		"-1h0m0s":   "in 1h",
		"-720h0m0s": "in 30d",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSpareColumnsMakeRoomForTheOthers(t *testing.T) {
	table := func() *Table {
		t := &Table{Header: []string{"ID", "TYPE", "TOOL", "FLOW", "SESSION"}, Whole: []int{0, 4}, Spare: []int{1, 3}}
		t.Add(strings.Repeat("1", 26), "hook_evaluation", strings.Repeat("t", 200), "internal→external", strings.Repeat("s", 20))
		return t
	}
	for name, c := range map[string]struct {
		columns int
		want    string
	}{
		"a file":            {0, "ID TYPE TOOL FLOW SESSION"},
		"a wide terminal":   {126, "ID TYPE TOOL FLOW SESSION"},
		"a smaller one":     {125, "ID TOOL FLOW SESSION"},
		"one too small too": {108, "ID TOOL SESSION"},
		"a narrow one":      {40, "ID TOOL SESSION"},
	} {
		var b bytes.Buffer
		if err := table().write(&b, c.columns, false); err != nil {
			t.Fatal(err)
		}
		header, row, _ := strings.Cut(b.String(), "\n")
		if got := strings.Join(strings.Fields(header), " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if !strings.Contains(row, strings.Repeat("1", 26)) || !strings.Contains(row, strings.Repeat("s", 20)) {
			t.Errorf("%s: an id is shortened: %s", name, row)
		}
	}
}

func TestATerminalPaintsStatesAndNothingMovesForIt(t *testing.T) {
	table := func() *Table {
		t := &Table{Header: []string{"NAME", "STATE", "RISK", "WHY"}}
		t.Add("deny", "quarantined", "high (60)", "blocked")
		t.Add("b", "ready", "none (0)", "")
		t.Add("c", "disabled", "", "ümläut")
		return t
	}
	var plain, painted bytes.Buffer
	if err := table().write(&plain, 0, false); err != nil {
		t.Fatal(err)
	}
	if err := table().write(&painted, 0, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[1mNAME\x1b[0m", "\x1b[33mquarantined\x1b[0m", "\x1b[31;1mhigh (60)\x1b[0m", "\x1b[32mready\x1b[0m"} {
		if !strings.Contains(painted.String(), want) {
			t.Errorf("%q is missing in %q", want, painted.String())
		}
	}
	for _, not := range []string{"mdeny", "mblocked", "mdisabled", "mnone"} {
		if strings.Contains(painted.String(), not) {
			t.Errorf("%q is painted in %q", not[1:], painted.String())
		}
	}
	bare := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(painted.String(), "")
	if diff := cmp.Diff(plain.String(), bare); diff != "" {
		t.Error(diff)
	}
}
