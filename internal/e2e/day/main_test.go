//go:build linux

package day_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcpproxy/internal/e2e/rig"
)

// object is a JSON object.
type object = map[string]any

// programs is the folder with mcpproxy, its hook and the agent. They are built once.
var programs string

// TestMain plays the agent or a service if this binary was started as one.
func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) == "agent":
		os.Exit(playAgent())
	case len(os.Args) == 2 && os.Args[1] == playsUser:
		os.Exit(playUser())
	case len(os.Args) == 3 && os.Args[1] == playsService:
		os.Exit(playService(os.Args[2]))
	}
	os.Exit(rig.InFolder(build, m.Run))
}

// build builds the programs into the folder, and copies this binary there as the agent.
func build(dir string) error {
	programs = dir
	if err := rig.Build(dir, rig.Main, rig.Hook); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "agent"), binary, 0o700),
		os.WriteFile(filepath.Join(dir, "agent-service"), binary, 0o700),
	)
}

// lacking skips the test with a visible message, and fails it in CI.
func lacking(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip("THE DAY IS NOT TESTED: " + what)
}
