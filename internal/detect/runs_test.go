package detect

import (
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasilibs/go-re2/experimental"

	"mcpproxy/internal/detect/detecttest"
)

func TestPatternsOfRunsAreRecognised(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    bool
	}{
		{`\b(ghp_[A-Za-z0-9]{36,255})\b`, true},
		{`\b(AIza[0-9A-Za-z_\-]{35})(?:[^0-9A-Za-z_\-]|$)`, true},
		{`(?:^|[^A-Za-z0-9_.])([sb]\.[A-Za-z0-9]{24})(?:[^A-Za-z0-9]|\.?$|\.\s)`, true},
		{`\b((?:AKIA|ASIA)[A-Z2-7]{16})\b`, true},
		{`abc[a-z]{20}|def[a-z]{30}`, true},
		{`key-[a-z]{15}`, false},                   // too short
		{`abc[a-z]{20}|def[a-z]{3}`, false},        // one alternative is too short
		{`token ([a-z0-9]{40})`, false},            // a space
		{`\b(key_[^\s]{40})`, false},               // anything
		{`(?i)\b(key_[a-z]{40})`, false},           // case folding matches other characters
		{`(?:^|\s{1,9})([a-z0-9]{40})`, false},     // looks further than the edge
		{`([a-z0-9]{40})(?:[^a-z][^a-z])x`, false}, // so does the part after the run
		{`[a-z]{20}(?:,|;)[a-z]{20}`, false},       // other characters between two runs
		{`(?:[a-z]{20})*`, false},
	} {
		re, err := syntax.Parse(c.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := inRuns(re); got != c.want {
			t.Errorf("%s matches within runs: %v, want %v", c.pattern, got, c.want)
		}
	}
}

func TestRunsAreReadWithTheBytesAroundThem(t *testing.T) {
	run := strings.Repeat("aB3_", 5)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"some words, and no-run-of-20", ""},
		{run[:leastRun-1], ""},
		{run, run},
		{"12345678, " + run + " 12345678", "345678, " + run + " 1234567"},
		{"東京京京" + run + "é", "京京京" + run + "é"},
		{run + "," + run, run + "," + run[:7] + betweenRuns + run[13:] + "," + run},
		{"x " + run[1:] + " " + run + "\n", run[13:] + " " + run + "\n"},
	} {
		got := string(appendRuns(nil, []byte(c.text)))
		if want := c.want + betweenRuns; c.want == "" && got != "" || c.want != "" && got != want {
			t.Errorf("the runs of %q are %q, want %q", c.text, got, c.want)
		}
	}
}

// setOfAll is a set of the patterns of all rules, which reads a whole text.
var setOfAll = sync.OnceValues(func() (*experimental.Set, *Detector) {
	d := New(Rules())
	if err := d.Warm(); err != nil {
		panic(err)
	}
	patterns := make([]string, len(d.shapes))
	for i := range d.shapes {
		patterns[i] = d.shapes[i].Pattern
	}
	set, err := experimental.CompileSet(patterns)
	if err != nil {
		panic(err)
	}
	return set, d
})

// pointsToAll compares the hits in a text with the matches of the patterns of all rules.
func pointsToAll(t *testing.T, s string) {
	t.Helper()
	set, d := setOfAll()
	buf := []byte(s + betweenRuns)
	all, err := set.FindAllWithError(buf, len(d.shapes))
	if err != nil {
		t.Skip(err)
	}
	got, err := d.points.hits(buf)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if !slices.Contains(got, i) {
			t.Errorf("%s matches %q, but is not among the hits", d.shapes[i].ID, s)
		}
	}
}

func TestEveryMatchInATextIsAHit(t *testing.T) {
	cases, err := detecttest.Load("testdata/secrets")
	if err != nil {
		t.Fatal(err)
	}
	around := [][2]string{{"x=", ""}, {"key: \"", "\"."}, {"東京", "é "}, {"a/", "/b c"}, {"\n\n", ".\n"}}
	for i, c := range cases {
		pointsToAll(t, c.Text)
		pointsToAll(t, around[i%len(around)][0]+c.Text+around[i%len(around)][1])
	}
}

func TestMostShapesAreLookedForInRuns(t *testing.T) {
	_, d := setOfAll()
	if all, runs := len(d.shapes), len(d.points.ofRuns); 3*runs < 2*all {
		t.Errorf("%d of %d shapes are, want two in three", runs, all)
	}
}

func FuzzRuns(f *testing.F) {
	cases, err := detecttest.Load("testdata/secrets")
	if err != nil {
		f.Fatal(err)
	}
	for i, c := range cases {
		if i%64 == 0 {
			f.Add(c.Text)
		}
	}
	f.Fuzz(pointsToAll)
}
