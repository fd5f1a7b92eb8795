package rig

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
)

// Machine is a user's machine: a home folder, a configuration of mcpproxy and, after [Machine.Serve], a daemon. Its
// methods end the test on errors that the test does not check itself.
type Machine struct {
	Programs string        // the folder with the built programs
	Home     string        // the user's home folder
	Data     string        // the data folder
	Config   string        // path of the configuration file
	Env      []string      // the environment of all programs
	Listen   string        // host:port of the daemon
	Terminal *os.File      // the daemon's controlling terminal; nil for none
	Patience time.Duration // timeout of each step
	Daemon   *Process      // nil while the daemon does not run
	Log      Log           // output of the daemon
	API      API

	t testing.TB
}

// Setup writes the configuration, with a free address and a key, and prepares API. The given settings replace members
// of the configuration. Setup does not start the daemon. When the test ends, a running daemon is stopped; if the test
// has failed, the daemon's log is shown.
func (m *Machine) Setup(t testing.TB, key string, settings map[string]any) {
	t.Helper()
	m.t, m.Listen = t, porttest.Free(t)
	m.API = API{Address: m.Listen, Key: key, Timeout: m.Patience}
	whole := map[string]any{
		"listen":   m.Listen,
		"api_key":  key,
		"security": map[string]any{"tool_quarantine": map[string]any{"auto_quarantine_new_tools": false}},
	}
	for name, value := range settings {
		whole[name] = value
	}
	raw, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	m.Write(m.Config, string(raw))
	t.Cleanup(func() {
		m.Stop()
		if t.Failed() {
			t.Logf("log of the daemon:\n%s", m.Log.String())
		}
	})
}

// DemoServer returns the configuration of one of the demo's servers.
func (m *Machine) DemoServer(name string) map[string]any {
	return map[string]any{"name": name, "command": m.Program("mcpproxy"), "args": []string{"demo-server", name}}
}

// Program returns the path of a built program.
func (m *Machine) Program(name string) string { return filepath.Join(m.Programs, name) }

// Write writes a file that only the owner can read, and creates the folders above it.
func (m *Machine) Write(path, content string) {
	m.t.Helper()
	Write(m.t, path, content)
}

// Launch starts the daemon without waiting for it.
func (m *Machine) Launch() {
	m.t.Helper()
	cmd := exec.Command(m.Program("mcpproxy"), "serve")
	cmd.Env = m.Env
	if m.Terminal != nil {
		cmd.Stdin, cmd.SysProcAttr = m.Terminal, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	var err error
	if m.Daemon, err = Start(cmd, &m.Log); err != nil {
		m.t.Fatal(err)
	}
}

// Serve starts the daemon and waits until it lists at least the given number of tools.
func (m *Machine) Serve(tools int) {
	m.t.Helper()
	m.Launch()
	eventually.TrueWithin(m.t, m.Patience, "the servers are ready", func() bool {
		n, err := m.API.Tools()
		return err == nil && n >= tools
	})
}

// Stop ends the daemon with SIGTERM. It does nothing if the daemon does not run.
func (m *Machine) Stop() {
	if m.Daemon == nil {
		return
	}
	if err := m.Daemon.Stop(m.Patience); errors.Is(err, ErrStuck) {
		m.t.Error(err)
	}
	m.Daemon = nil
}

// Kill ends the daemon with SIGKILL.
func (m *Machine) Kill() {
	m.Daemon.Kill()
	m.Daemon = nil
}

// Get decodes the data of an answer of the REST API. It reports whether the answer is a success.
func (m *Machine) Get(path string, into any) bool { return m.API.Get(path, into) == nil }
