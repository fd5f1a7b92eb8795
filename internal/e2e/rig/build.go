package rig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The import paths of the two programs.
const (
	Main = "mcpproxy/cmd/mcpproxy"
	Hook = "mcpproxy/cmd/mcpproxy-hook"
)

// InFolder implements TestMain: it makes a temporary folder, calls prepare to build programs into it, runs the tests
// and removes the folder. It returns the exit code.
func InFolder(prepare func(dir string) error, run func() int) int {
	dir, err := os.MkdirTemp("", "mpbin") // the path is short, because a socket's path may have at most 107 bytes
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := prepare(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// Build builds packages into a folder in the same way as a release, without cgo and debugging symbols.
func Build(dir string, packages ...string) error {
	return BuildWith("CGO_ENABLED=0", dir+string(filepath.Separator), append([]string{"-ldflags=-s -w"}, packages...)...)
}

// BuildWith builds packages into out, with an additional environment variable. Compiler flags may precede the
// packages.
func BuildWith(env, out string, args ...string) error {
	cmd := exec.Command("go", append([]string{"build", "-o", out}, args...)...)
	cmd.Env = append(os.Environ(), env)
	if msg, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", strings.Join(args, " "), err, msg)
	}
	return nil
}

// Environment returns the variables of this process without the user's settings of mcpproxy and Claude Code, plus the
// given ones.
func Environment(more ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "MCPPROXY_") && !strings.HasPrefix(kv, "CLAUDE_") {
			env = append(env, kv)
		}
	}
	return append(env, more...)
}

// Write writes a file that only the owner can read, and creates the folders above it.
func Write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
