package mcpproxy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bannedNames are private metaphors that once named types and packages.
var bannedNames = []string{"door", "ear", "lectern", "errand", "outlet", "shelf", "own", "told"}

// glossaryRow matches a row of the table in docs/glossary.md: word, package, meaning.
var glossaryRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)

func TestGlossaryKnowsTheCode(t *testing.T) {
	page, err := os.ReadFile("docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := glossaryRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 30 {
		t.Fatalf("docs/glossary.md has %d words; does its table still have three columns?", len(rows))
	}
	seen := map[string]bool{}
	for _, row := range rows[1:] { // the first row is the heading
		word, where := row[1], row[2]
		if seen[word] {
			t.Errorf("docs/glossary.md explains %q twice", word)
		}
		seen[word] = true
		folder := "."
		if where != "root" {
			folder = filepath.Join("internal", filepath.FromSlash(where))
		}
		files := parsePackage(t, folder)
		if len(files) == 0 {
			t.Errorf("%q lives in package %q, which does not exist", word, where)
			continue
		}
		if !slices.ContainsFunc(files, func(f *ast.File) bool { return declares(f, word) || documents(f, word) }) {
			t.Errorf("package %q neither declares nor documents %q", where, word)
		}
	}
}

func TestPrivateMetaphorsAreNotNames(t *testing.T) {
	for _, top := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			if entry.Name() == "node_modules" || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			for _, f := range parsePackage(t, path) {
				if slices.Contains(bannedNames, strings.TrimSuffix(f.Name.Name, "_test")) {
					t.Errorf("%s: %q names a package: use a trade word", path, f.Name.Name)
				}
				for _, d := range f.Decls {
					for _, name := range typeNames(d) {
						if slices.Contains(bannedNames, strings.ToLower(name)) {
							t.Errorf("%s: %q names a type: use a trade word", path, name)
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// parsePackage parses the Go files of a folder with their comments, without tests.
func parsePackage(t *testing.T, folder string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// typeNames returns the names of the types that d declares.
func typeNames(d ast.Decl) (names []string) {
	group, ok := d.(*ast.GenDecl)
	if !ok || group.Tok != token.TYPE {
		return nil
	}
	for _, spec := range group.Specs {
		names = append(names, spec.(*ast.TypeSpec).Name.Name)
	}
	return names
}

// declares reports whether f declares a type of that name.
func declares(f *ast.File, word string) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool { return slices.Contains(typeNames(d), word) })
}

// documents reports whether a comment of f contains word, which must be in lower case. A capitalised word is the name
// of a type, so it must be declared.
func documents(f *ast.File, word string) bool {
	if word != strings.ToLower(word) {
		return false
	}
	whole := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(word) + `(s|ed)?\b`)
	return slices.ContainsFunc(f.Comments, func(c *ast.CommentGroup) bool { return whole.MatchString(c.Text()) })
}
