package mcpproxy_test

import (
	"bufio"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var updateCoverage = flag.Bool("update-coverage", false, "write docs/coverage-of-documents.md anew")

// requirement is one thing that a document asks for.
type requirement struct {
	id, section, asks string
	reason            string // what differs, and why; "" if the requirement is met as written
	tests             []string
}

// requirements are the requirements of one document.
type requirements struct {
	title string
	all   []*requirement
}

const (
	requirementsFile = "testdata/requirements.txt"
	coveragePage     = "docs/coverage-of-documents.md"
)

// docs/coverage-of-documents.md says for every requirement whether it is met and which test shows it. The page is
// generated from the tags in the tests. The test fails for a requirement that has neither a test nor a reason why it
// is not met.
func TestEveryRequirementOfTheDocumentsIsShownByATest(t *testing.T) {
	documents := readRequirements(t)
	known := map[string]*requirement{}
	for _, d := range documents {
		for _, r := range d.all {
			known[r.id] = r
		}
	}
	for id, tests := range shownBy(t) {
		r, ok := known[id]
		if !ok {
			t.Errorf("%s shows %s, which no document asks for: see %s", strings.Join(tests, ", "), id, requirementsFile)
			continue
		}
		r.tests = tests
	}
	for id, r := range known {
		if len(r.tests) == 0 && r.reason == "" {
			t.Errorf("no test shows %s (%s): write \"// Shows: %s.\" above the test that does", id, r.asks, id)
		}
	}
	page := coverageText(documents)
	if *updateCoverage {
		if err := os.WriteFile(coveragePage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if readPage(t, coveragePage) != page {
		t.Errorf("%s differs from the tags in the tests; update it with: go test . -run EveryRequirement -update-coverage", coveragePage)
	}
}

// readRequirements reads the requirements of all documents. Those of Spec 027 are in the tables of docs/spec-027.md.
func readRequirements(t *testing.T) []*requirements {
	t.Helper()
	file, err := os.Open(requirementsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []*requirements
	known := map[string]*requirement{}
	add := func(r *requirement) {
		if known[r.id] != nil {
			t.Errorf("%s is listed twice", r.id)
		}
		known[r.id] = r
		d := out[len(out)-1]
		d.all = append(d.all, r)
	}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if title, ok := strings.CutPrefix(line, "= "); ok {
			out = append(out, &requirements{title: title})
			if len(out) == 1 {
				for _, r := range specRequirements(t) {
					add(r)
				}
			}
			continue
		}
		if id, reason, ok := strings.Cut(line, " ~ "); ok {
			r := known[id]
			if r == nil {
				t.Fatalf("%s: %s has a reason, but no document has this requirement", requirementsFile, id)
			}
			r.reason = reason
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) != 3 || len(out) == 0 {
			t.Fatalf("%s: unexpected line %q", requirementsFile, line)
		}
		add(&requirement{id: parts[0], section: parts[1], asks: parts[2]})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// specRequirements returns the rows of the tables of docs/spec-027.md, under the headings that they have there.
func specRequirements(t *testing.T) []*requirement {
	t.Helper()
	row := regexp.MustCompile(`^\| ((?:FR|SC)-\d+|story \d+b?|edge \d+|config) \| (.+?) \|`)
	var out []*requirement
	section := ""
	for line := range strings.Lines(readPage(t, "docs/spec-027.md")) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(heading)
		}
		if m := row.FindStringSubmatch(line); m != nil {
			out = append(out, &requirement{id: m[1], section: section, asks: m[2]})
		}
	}
	return out
}

// shownBy returns the tests that show each requirement, by the requirement's id. It reads the tags: a comment "Shows:
// FR-001, FR-002." above a test function or in a script.
func shownBy(t *testing.T) map[string][]string {
	t.Helper()
	tag := regexp.MustCompile(`(?m)^(?://|#) Shows: (.+)\.\n(?:(?://[^\n]*\n)*func ((?:Test|Fuzz)\w+)\(.*\n(\tt\.Skip)?)?`)
	out := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		script := strings.HasSuffix(path, ".txtar")
		if d.IsDir() || !script && !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range tag.FindAllStringSubmatch(string(raw), -1) {
			name := m[2]
			if script {
				name = d.Name()
			}
			switch {
			case name == "":
				t.Errorf("%s: %q is not above a test", path, m[1])
			case script && !runs(path):
				t.Errorf("%s: no test in the folder above testdata runs this script", path)
			case !script && m[3] != "":
				t.Errorf("%s: %s shows %s, and is always skipped", path, name, m[1])
			}
			for id := range strings.SplitSeq(m[1], ", ") {
				out[id] = append(out[id], name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tests := range out {
		slices.Sort(tests)
	}
	return out
}

// runs reports whether a test beside the folder testdata names the folder of a script.
func runs(script string) bool {
	room, inside, ok := strings.Cut(filepath.ToSlash(script), "/testdata/")
	if !ok {
		return false
	}
	tests, err := filepath.Glob(filepath.Join(room, "*_test.go"))
	if err != nil {
		return false
	}
	folder, _, _ := strings.Cut(inside, "/")
	for _, file := range tests {
		raw, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(raw), "testdata") && strings.Contains(string(raw), folder) {
			return true
		}
	}
	return false
}

// coverageText returns the page.
func coverageText(documents []*requirements) string {
	var b strings.Builder
	b.WriteString(`# What the documents ask for, and which test shows it

After this page you know every requirement of the five documents that say what mcpproxy has to do, whether mcpproxy meets it, and which test
shows that. The page describes each requirement in our own words, under its heading in the document. [RFC-004](rfc-004.md) and
[Spec 027](spec-027.md) name the package that does each thing.

## One complete example

A comment such as ` + "`// Shows: FR-043.`" + ` above a test names the requirement that the test shows. This command reads these comments and writes the page:

<!-- not run: it writes this page -->

    go test . -run EveryRequirement -update-coverage

A requirement without a test fails that test, unless ` + "`testdata/requirements.txt`" + ` has a reason for it.
`)
	for _, d := range documents {
		differ := 0
		for _, r := range d.all {
			if r.reason != "" {
				differ++
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n%d requirements. mcpproxy differs from %d of them.\n\n", d.title, len(d.all), differ)
		b.WriteString("| id | section | asks for | state | shown by |\n|---|---|---|---|---|\n")
		for _, r := range d.all {
			state := "as asked"
			if r.reason != "" {
				state = "otherwise: " + r.reason
			}
			shown := "`" + strings.Join(r.tests, "`, `") + "`"
			if len(r.tests) == 0 {
				shown = "–"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.id, r.section, r.asks, state, shown)
		}
	}
	b.WriteString(`
## What goes wrong

| message | cause and remedy |
|---|---|
| ` + "`no test shows …`" + ` | write ` + "`// Shows: ID.`" + ` above the test that shows the requirement, or add a reason to ` + "`testdata/requirements.txt`" + ` |
| ` + "`shows …, which no document asks for`" + ` | correct the id in the comment above the test |
| ` + "`differs from the tags in the tests`" + ` | run the command above, which writes the page again |
`)
	return b.String()
}
