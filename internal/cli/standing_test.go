package cli

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/exit"
)

// A command decides without asking the daemon only if no daemon runs.
func TestADecisionWaitsForADaemonThatRuns(t *testing.T) {
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	for name, c := range map[string]struct {
		daemon http.HandlerFunc // nil for none
		passes bool
		says   string
	}{
		"there is no daemon":             {nil, true, ""},
		"it says yes":                    {answers(200, `{"success":true,"data":{"may_decide":true}}`), true, ""},
		"it says no":                     {answers(200, `{"success":true,"data":{"may_decide":false,"reason":"you are an agent"}}`), false, "you are an agent"},
		"it says nothing":                {answers(200, ``), false, "stop the daemon if it hangs"},
		"it refuses the key":             {answers(401, `{"success":false,"error":"no key"}`), false, "no key"},
		"it fails":                       {answers(500, `{"success":false,"error":"broken"}`), false, "broken"},
		"it ends the connection at once": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false, "stop the daemon if it hangs"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			socket := filepath.Join(dir, "s")
			t.Setenv("MCPPROXY_SOCKET", socket)
			t.Setenv("HOME", dir)
			if c.daemon != nil {
				serveOn(t, socket, c.daemon)
			}
			file := filepath.Join(dir, "mcp_config.json")
			if err := os.WriteFile(file, fmt.Appendf(nil, `{"data_dir": %q, "api_key": "k"}`, dir), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd, _, err := rootCommand().Find([]string{"hook", "uninstall"})
			if err != nil {
				t.Fatal(err)
			}
			cmd.SetContext(t.Context())
			err = (&globals{config: file}).checkStanding(cmd)
			if (err == nil) != c.passes {
				t.Fatalf("the command ends with %v", err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "only the user may run")) {
				t.Errorf("it says: %v", err)
			}
			if code, ok := errors.AsType[*exit.Error](err); err != nil && (!ok || code.Code != exit.Permission) {
				t.Errorf("its exit code is that of %+v", err)
			}
		})
	}
}

// serveOn answers as a daemon on a socket until the test ends.
func serveOn(t *testing.T, socket string, h http.Handler) {
	t.Helper()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h}
	t.Cleanup(func() { s.Close() })
	go func() { _ = s.Serve(l) }()
}
