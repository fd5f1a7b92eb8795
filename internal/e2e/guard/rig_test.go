//go:build linux

package guard_test

import (
	"context"
	"errors"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
)

// programs is the folder with mcpproxy, its hook and the agent. They are built once.
var programs string

func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) == "agent":
		os.Exit(playAgent())
	case len(os.Args) == 3 && os.Args[1] == playsServer:
		os.Exit(playServer(os.Args[2]))
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
	return os.WriteFile(filepath.Join(dir, "agent"), binary, 0o700)
}

// object is a JSON object.
type object = map[string]any

const (
	apiKey   = "guard-key-of-no-value"
	patience = 30 * time.Second
)

// tick is longer than the resolution of process start times in Linux.
const tick = 30 * time.Millisecond

// host is a user's machine with two demo servers.
type host struct {
	*rig.Machine
	t *testing.T
}

// newHost writes a configuration with two demo servers, changed by settings. It does not start the daemon.
func newHost(t *testing.T, settings object) *host {
	t.Helper()
	home, err := os.MkdirTemp("", "gh") // the path is short, because a socket's path may have at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	data := filepath.Join(home, ".mcpproxy")
	r := &host{t: t, Machine: &rig.Machine{
		Programs: programs,
		Home:     home,
		Data:     data,
		Config:   filepath.Join(data, "mcp_config.json"),
		Env:      []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8"},
		Patience: patience,
	}}
	whole := object{"mcpServers": []object{r.DemoServer("vault"), r.DemoServer("chat")}}
	maps.Copy(whole, settings)
	r.Setup(t, apiKey, whole)
	return r
}

func (r *host) read(path string) string {
	r.t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Fatal(err)
	}
	return string(raw)
}

func (r *host) socket() string { return filepath.Join(r.Data, "mcpproxy.sock") }

func (r *host) until(what string, done func() bool) {
	r.t.Helper()
	eventually.TrueWithin(r.t, patience, what, done)
}

// request sends a request over the test's own TCP connection, with the key.
func (r *host) request(method, path string, body any) (status int, answer []byte) {
	status, answer, err := r.API.Request(method, path, body)
	if err != nil {
		return 0, nil
	}
	return status, answer
}

// mcpproxy runs a command of the program, as the user does in a terminal of their own.
func (r *host) mcpproxy(args ...string) (out string, code int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(programs, "mcpproxy"), args...)
	cmd.Env, cmd.Dir = r.Env, r.Home
	raw, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatalf("mcpproxy %s: %v", strings.Join(args, " "), err)
	}
	return string(raw), cmd.ProcessState.ExitCode()
}

// record holds the fields of a record that these tests need.
type record struct {
	Type, Status, Decision, Rule string
	ErrorMessage                 string `json:"error_message"`
	Metadata                     struct {
		Reason string
		Detail object
	}
}

// records returns the newest records that match a query.
func (r *host) records(query string) []record {
	r.t.Helper()
	var records []record
	if err := r.API.Records(query, &records); err != nil {
		r.t.Fatalf("the activity log does not answer to %s: %v", query, err)
	}
	return records
}

// refusals returns the processes whose requests of one kind ("decision" or "call") were refused according to the log.
func (r *host) refusals(askedFor string) map[string]bool {
	r.t.Helper()
	found := map[string]bool{}
	for _, one := range r.records("type=policy_decision&rule=agent.decides") {
		process, ok := one.Metadata.Detail["process"].(string)
		if ok && one.Status == "blocked" && one.Metadata.Detail["asked_for"] == askedFor {
			found[process] = true
		}
	}
	return found
}

// recorded waits until the log contains a refusal. If there are many refusals in a short time, the log contains the
// first and counts the others.
func (r *host) recorded(askedFor string) {
	r.t.Helper()
	r.until("the log has a refusal", func() bool { return len(r.refusals(askedFor)) > 0 })
}

// fill replaces placeholders in a command line by the host's paths.
func (r *host) fill(line string) string {
	_, port, _ := net.SplitHostPort(r.Listen)
	return strings.NewReplacer("MCPPROXY", filepath.Join(programs, "mcpproxy"), "HOOK", filepath.Join(programs, "mcpproxy-hook"),
		"SOCKET", r.socket(), "CONFIG", r.Config, "PORT", port, "HOME", r.Home, "KEY", apiKey,
		"PID", strconv.Itoa(r.pid())).
		Replace(line)
}

func (r *host) pid() int { return r.Daemon.PID() }

// needs skips a test with a visible message if a program is not installed.
func needs(t *testing.T, program string) {
	t.Helper()
	if program == "" {
		return
	}
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s IS NOT INSTALLED: THIS ATTACK IS NOT TRIED", strings.ToUpper(program))
	}
}
