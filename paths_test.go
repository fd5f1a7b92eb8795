package mcpproxy_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// treePath matches a path of this repository, in plain text, in code or as the target of a link.
var treePath = regexp.MustCompile(`(?:^|[^\w./~-])(?:\.\./)*((?:internal|cmd|web|docs|examples|\.ci)/[\w./*-]*[\w*])`)

// placeholder matches a word in capitals that stands for a name in a path, such as NAME in web/src/views/NAME.svelte.
var placeholder = regexp.MustCompile(`\b[A-Z]+\b`)

func TestEveryPathOfAPageExists(t *testing.T) {
	all := append(pages(t), "Makefile", ".ci/run", ".ci/fuzz", ".ci/vuln")
	found := 0
	for _, page := range all {
		seen := map[string]bool{}
		for _, m := range treePath.FindAllStringSubmatch(readPage(t, page), -1) {
			path := m[1]
			if seen[path] {
				continue
			}
			seen[path] = true
			found++
			if !exists(t, path) {
				t.Errorf("%s names %s, which does not exist", page, path)
			}
		}
	}
	if found < 200 {
		t.Errorf("the pages name only %d paths", found)
	}
}

func TestEveryPathOfACommentExists(t *testing.T) {
	for comment, at := range comments(t) {
		for _, m := range treePath.FindAllStringSubmatch(comment, -1) {
			if !exists(t, m[1]) {
				t.Errorf("%s names %s, which does not exist", at, m[1])
			}
		}
	}
}

// exists reports whether a file or a folder with that path exists. A placeholder matches any name. node_modules
// always exists, since npm creates it on demand.
func exists(t *testing.T, path string) bool {
	t.Helper()
	if slices.Contains(strings.Split(path, "/"), "node_modules") {
		return true
	}
	dir, file := filepath.Split(filepath.FromSlash(path))
	found, err := filepath.Glob(dir + placeholder.ReplaceAllString(file, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 { // a file can have a name in capitals, such as README.md
		found, err = filepath.Glob(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
	}
	return len(found) > 0
}
