package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	findings, err := lint(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// rule is one check. Its doc comment in the rule's file has the parts Reports, Why and Exempt.
type rule struct {
	// name identifies the rule in findings and names its folder in testdata.
	name string
	// check returns the findings in one file.
	check func(*file) []finding
}

// rules are all rules, in the order in which findings on one line are printed.
var rules = []rule{
	{"literal", literal},
	{"column", column},
	{"assign", assign},
	{"conditional", conditional},
	{"filesize", filesize},
	{"funcsize", funcsize},
	{"figure", figure},
}

// file is one file as the rules see it.
type file struct {
	// path is relative to the root, with slashes.
	path string
	// src is the content.
	src []byte
	// fset and ast are nil for a page.
	fset *token.FileSet
	ast  *ast.File
}

// isTest reports whether the file is a Go test.
func (f *file) isTest() bool {
	return strings.HasSuffix(f.path, "_test.go")
}

// line returns the line of a position.
func (f *file) line(pos token.Pos) int {
	return f.fset.Position(pos).Line
}

// finding is one violation of one rule.
type finding struct {
	path    string
	line    int
	rule    string
	message string
}

// String returns the finding in the form that editors jump to.
func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.path, f.line, f.rule, f.message)
}

// lint applies all rules to all files under root and returns the findings, sorted by file and line.
func lint(root string) ([]finding, error) {
	var findings []finding
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enter(root, path)
		}
		f, err := read(root, path)
		if f != nil {
			findings = append(findings, f.lint()...)
		}
		return err
	})
	return findings, err
}

// enter returns fs.SkipDir for the folders that hold no code of this repository.
func enter(root, path string) error {
	switch filepath.Base(path) {
	case ".git", "node_modules", "testdata", "dist":
		if path != root {
			return fs.SkipDir
		}
	}
	return nil
}

// read returns the file at path, or nil if no rule applies to it.
func read(root, path string) (*file, error) {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	name = filepath.ToSlash(name)
	isPage := strings.HasPrefix(name, "docs/") && strings.HasSuffix(name, ".md")
	if !isPage && !strings.HasSuffix(name, ".go") {
		return nil, nil
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(name, src)
}

// parse returns the file of that name and content, or nil if it is generated.
func parse(name string, src []byte) (*file, error) {
	f := &file{path: name, src: src}
	if !strings.HasSuffix(name, ".go") {
		return f, nil
	}
	f.fset = token.NewFileSet()
	parsed, err := parser.ParseFile(f.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(parsed) {
		return nil, nil
	}
	f.ast = parsed
	return f, nil
}

// lint applies all rules to one file.
func (f *file) lint() []finding {
	var all []finding
	for _, r := range rules {
		all = append(all, f.apply(r)...)
	}
	slices.SortStableFunc(all, func(a, b finding) int {
		return cmp.Compare(a.line, b.line)
	})
	return all
}

// apply returns the findings of one rule, completed with the file and the rule.
func (f *file) apply(r rule) []finding {
	findings := r.check(f)
	for i := range findings {
		findings[i].path = f.path
		findings[i].rule = r.name
	}
	return findings
}

// inspect calls visit with every node of a Go file; it does nothing for a page.
func (f *file) inspect(visit func(ast.Node)) {
	if f.ast == nil {
		return
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if n != nil {
			visit(n)
		}
		return true
	})
}

// lines returns the lines of the file without their ends.
func (f *file) lines() []string {
	return strings.Split(string(bytes.TrimSuffix(f.src, []byte("\n"))), "\n")
}
