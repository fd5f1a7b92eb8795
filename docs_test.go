package mcpproxy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages returns the paths of the documentation pages in the root, docs and examples.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// headings returns the text of every heading of a page. Fenced blocks are left out.
func headings(page string) []string {
	var out []string
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if text := strings.TrimLeft(line, "#"); !fenced && text != line && strings.HasPrefix(text, " ") {
			out = append(out, strings.TrimSpace(text))
		}
	}
	return out
}

// anchor returns the anchor that GitHub derives from a heading.
func anchor(heading string) string {
	heading = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	heading = regexp.MustCompile(`[^\p{L}\p{N}\s_-]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(heading, " ", "-")
}

func TestEveryLinkOfAPageLeadsSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			file, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
				continue
			}
			if fragment != "" && !slices.ContainsFunc(headings(readPage(t, target)), func(h string) bool {
				return anchor(h) == fragment
			}) {
				t.Errorf("%s links to %s, and %s has no such heading", page, m[1], target)
			}
		}
	}
}

// Comments cite the two documents that the program was built from. docs/rfc-004.md and docs/spec-027.md say what
// these ask for, under the headings and ids that are cited.
func TestEveryCitationLeadsToItsPage(t *testing.T) {
	spec := readPage(t, "docs/spec-027.md")
	known := map[string]bool{}
	for _, id := range regexp.MustCompile(`(?m)^\| ((?:FR|SC)-\d+|story \d+b?) \|`).FindAllStringSubmatch(spec, -1) {
		known[id[1]] = true
	}
	sections := headings(readPage(t, "docs/rfc-004.md"))
	id := regexp.MustCompile(`\b(?:FR|SC)-\d+|(?:user )?story \d+b?`)
	section := regexp.MustCompile(`RFC-004, ((?:[A-Z&/][\w/&-]* ?|vs ?)+)|(?:RFC-004,? |, )phases? (\d[a-z]?)(?: and (\d[a-z]?))?`)
	cited := 0
	for comment, at := range comments(t) {
		if strings.Contains(comment, "pec-027") || regexp.MustCompile(`\bFR-\d`).MatchString(comment) {
			for _, c := range id.FindAllString(comment, -1) {
				cited++
				if !known[strings.TrimPrefix(c, "user ")] {
					t.Errorf("%s cites %q, which docs/spec-027.md does not have", at, c)
				}
			}
		}
		if !strings.Contains(comment, "RFC-004") {
			continue
		}
		for _, m := range section.FindAllStringSubmatch(comment, -1) {
			for i, name := range m[1:] {
				if name = strings.TrimSpace(name); name == "" {
					continue
				}
				cited++
				if i > 0 {
					name = "Phase " + name
				}
				if !slices.ContainsFunc(sections, func(h string) bool { return h == name || strings.HasPrefix(h, name+":") }) {
					t.Errorf("%s cites %q, which docs/rfc-004.md does not have", at, name)
				}
			}
		}
	}
	if cited < 40 {
		t.Errorf("only %d citations were found", cited)
	}
}

// comments maps the text of every comment of the module's Go files, on one line, to the position of one comment with
// that text.
func comments(t *testing.T) map[string]token.Position {
	t.Helper()
	out := map[string]token.Position{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range parsed.Comments {
			text := strings.Join(strings.Fields((&ast.CommentGroup{List: group.List}).Text()), " ")
			out[text] = fset.Position(group.Pos())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// docs/architecture.md names packages by their path. Each of them exists, and the page names every package that the
// gate imports.
func TestTheArchitectureNamesRoomsThatExist(t *testing.T) {
	page := readPage(t, "docs/architecture.md")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`\b(?:internal|cmd)/[a-z][a-z0-9/-]*`).FindAllString(page, -1) {
		named[strings.TrimSuffix(m, "/")] = true
	}
	for path := range named {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			t.Errorf("docs/architecture.md names %s, which does not exist", path)
		}
	}
	for _, room := range strings.Fields(rooms["gate"]) {
		if !named["internal/"+room] {
			t.Errorf("the gate imports %s, which docs/architecture.md does not name", room)
		}
	}
}
