package mcpproxy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The documentation names the tests that prove its claims. Each of these tests must exist.
func TestPagesNameTestsThatExist(t *testing.T) {
	tests := declaredTests(t)
	name := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+|[a-z_]+\\.txtar)`")
	for page, least := range map[string]int{
		"docs/threat-model.md": 40,
		"docs/architecture.md": 15,
		"docs/limits.md":       20,
		"docs/spec-027.md":     3,
		"CONTRIBUTING.md":      5,
	} {
		named := name.FindAllStringSubmatch(readPage(t, page), -1)
		if len(named) < least {
			t.Errorf("%s names %d tests, fewer than %d", page, len(named), least)
		}
		for _, n := range named {
			if !tests[n[1]] {
				t.Errorf("%s names the test %s, which does not exist", page, n[1])
			}
		}
	}
}

// declaredTests returns the names of all tests, fuzz targets and scripts of the module.
func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
	out := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules":
			return fs.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			out[d.Name()] = true
		case strings.HasSuffix(path, "_test.go"):
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range declared.FindAllSubmatch(raw, -1) {
				out[string(m[1])] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
