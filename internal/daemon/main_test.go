package daemon

import (
	"fmt"
	"os"
	"testing"
)

// TestMain gives the tests a home folder of their own, because a daemon learns from git's settings there.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mcpproxy-daemon")
	if err == nil {
		err = os.Setenv("HOME", dir)
	}
	if err == nil {
		err = os.Unsetenv("XDG_CONFIG_HOME")
	}
	if err == nil {
		err = os.Unsetenv("XDG_STATE_HOME")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
