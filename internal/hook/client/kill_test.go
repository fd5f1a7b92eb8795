package client_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/hook/client"
)

// While the kill switch is on, a hook denies calls in whatever state the daemon is. Events that cannot be stopped
// pass, and so does everything after the file is removed.
func TestTheKillSwitchHoldsWithoutAnAnswer(t *testing.T) {
	for name, socket := range map[string]string{
		"nothing listens":       filepath.Join(t.TempDir(), "s"),
		"it hangs up":           serve(t, func(conn net.Conn) { conn.Close() }),
		"it says what is wrong": serve(t, func(conn net.Conn) { received(conn); _, _ = conn.Write([]byte("HTTP/1.1 500 x\r\n\r\n")) }),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(filepath.Dir(socket), client.KillFile)
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for event, denied := range map[string]bool{
				"PreToolUse":          true,
				"tool.execute.before": true,
				"PostToolUse":         false,
				"UserPromptSubmit":    false,
				"":                    false,
			} {
				stdout, stderr, code := run(client.Options{Socket: socket, Event: event}, "{}")
				if stdout != "" || (code == 2) != denied || strings.Contains(stderr, "kill switch is on") != denied {
					t.Errorf("%q: %d, %q, %q", event, code, stdout, stderr)
				}
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if stdout, stderr, code := run(
				client.Options{Socket: socket, Event: "PreToolUse"},
				"{}",
			); code != 0 ||
				stdout+stderr != "" {
				t.Errorf("without the file: %d, %q, %q", code, stdout, stderr)
			}
		})
	}
}
