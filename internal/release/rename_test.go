package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The test renames the module in a copy of the tree. Go then finds every package at its new path, including those of
// tests and of the other modules.
func TestTheModuleIsRenamedEverywhere(t *testing.T) {
	t.Parallel()
	need(t, "git")
	to := t.TempDir()
	for name := range strings.SplitSeq(must(t, root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if name == "" || err != nil { // a link to a folder, or a removed file
			continue
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must(t, to, "git", "init", "-q")
	must(t, to, "git", "add", ".")
	const module = "example.org/people/firewall"
	if err := rename(to, module); err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(must(t, to, "go", "list", "-test", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./...")) {
		if path == "mcpproxy" || strings.HasPrefix(path, "mcpproxy/") {
			t.Errorf("the package %s has kept its path", path)
		}
	}
	for _, beside := range []string{"internal/oracle", "internal/lint/tools"} {
		raw, err := os.ReadFile(filepath.Join(to, beside, "go.mod"))
		if err != nil || !strings.HasPrefix(string(raw), "module "+module+"/"+beside+"\n") {
			t.Errorf("%s: %v\n%s", beside, err, raw)
		}
		if strings.Contains(string(raw), "replace mcpproxy ") || strings.Contains(string(raw), "\tmcpproxy ") {
			t.Errorf("%s needs a module of the old path:\n%s", beside, raw)
		}
	}
	makefile, err := os.ReadFile(filepath.Join(to, "Makefile"))
	if err != nil || !strings.Contains(string(makefile), "-X "+module+"/internal/version.linked=") {
		t.Errorf("the Makefile links the version into another package: %v", err)
	}
	// The name of the service is the same word, but must not change.
	unit, err := os.ReadFile(filepath.Join(to, "internal/service/spec.go"))
	if err != nil || !strings.Contains(string(unit), `const Name = "mcpproxy"`) {
		t.Errorf("the service has another name: %v", err)
	}
}

func TestAnInvalidModulePathIsRefused(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "mcpproxy", "https://example.org/mcpproxy", "example.org", "example.org/a b", "../mcpproxy"} {
		if err := rename(root, path); err == nil || !strings.Contains(err.Error(), "invalid module path") {
			t.Errorf("%q: %v", path, err)
		}
	}
}
