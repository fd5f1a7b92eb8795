//go:build linux

package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
)

// programs is the folder with mcpproxy, its hook and the agent, built once.
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

// build fills the folder with the programs and with a copy of this one, the agent.
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

// tick is more than the unit in which Linux counts the start times of processes.
const tick = 30 * time.Millisecond

// host is a user's machine: a home with a configuration, and a daemon.
type host struct {
	t      *testing.T
	home   string
	data   string
	config string
	listen string
	daemon *rig.Process // nil if it does not run
	log    rig.Log
	api    rig.API

	terminal *os.File // the daemon's own, if it is started in one
}

// newHost writes a configuration of two demo servers, changed by settings. It does not
// start the daemon.
func newHost(t *testing.T, settings object) *host {
	t.Helper()
	home, err := os.MkdirTemp("", "gh") // short: a socket's path is at most 107 bytes long
	if err != nil {
		t.Fatal(err)
	}
	r := &host{
		t:      t,
		home:   home,
		data:   filepath.Join(home, ".mcpproxy"),
		listen: rig.FreeAddress(t),
	}
	r.api = rig.API{Address: r.listen, Key: apiKey, Timeout: patience}
	r.config = filepath.Join(r.data, "mcp_config.json")
	whole := object{
		"listen":     r.listen,
		"api_key":    apiKey,
		"mcpServers": []object{demoServer("vault"), demoServer("chat")},
		"security":   object{"tool_quarantine": object{"auto_quarantine_new_tools": false}},
	}
	for k, v := range settings {
		whole[k] = v
	}
	raw, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	r.write(r.config, string(raw))
	t.Cleanup(func() {
		r.stop()
		if t.Failed() {
			t.Logf("log of the daemon:\n%s", r.log.String())
		}
		os.RemoveAll(home)
	})
	return r
}

func demoServer(name string) object {
	return object{"name": name, "command": filepath.Join(programs, "mcpproxy"), "args": []string{"demo-server", name}}
}

func (r *host) write(path, content string) {
	r.t.Helper()
	rig.Write(r.t, path, content)
}

func (r *host) read(path string) string {
	r.t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Fatal(err)
	}
	return string(raw)
}

// env is a clean environment with a home and nothing else.
func (r *host) env() []string {
	return []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + r.home, "LANG=C.UTF-8"}
}

func (r *host) socket() string { return filepath.Join(r.data, "mcpproxy.sock") }

// launch starts the daemon and does not wait for it.
func (r *host) launch() {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(programs, "mcpproxy"), "serve")
	cmd.Env = r.env()
	if r.terminal != nil {
		cmd.Stdin, cmd.SysProcAttr = r.terminal, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	var err error
	if r.daemon, err = rig.Start(cmd, &r.log); err != nil {
		r.t.Fatal(err)
	}
}

// serve starts the daemon and waits until so many tools are listed.
func (r *host) serve(tools int) {
	r.t.Helper()
	r.launch()
	r.until("the servers are ready", func() bool {
		n, err := r.api.Tools()
		return err == nil && n >= tools
	})
}

func (r *host) stop() {
	if r.daemon == nil {
		return
	}
	if err := r.daemon.Stop(patience); errors.Is(err, rig.ErrStuck) {
		r.t.Error(err)
	}
	r.daemon = nil
}

// kill ends the daemon as the kernel would.
func (r *host) kill() {
	r.daemon.Kill()
	r.daemon = nil
}

func (r *host) until(what string, done func() bool) {
	r.t.Helper()
	eventually.TrueWithin(r.t, patience, what, done)
}

// request sends a request over the test's own TCP connection, with the key.
func (r *host) request(method, path string, body any) (status int, answer []byte) {
	status, answer, err := r.api.Request(method, path, body)
	if err != nil {
		return 0, nil
	}
	return status, answer
}

// get reads the data of an answer of the REST API.
func (r *host) get(path string, into any) bool {
	return r.api.Get(path, into) == nil
}

// mcpproxy runs a command of the program, as the user does in a terminal of their own.
func (r *host) mcpproxy(args ...string) (out string, code int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(programs, "mcpproxy"), args...)
	cmd.Env, cmd.Dir = r.env(), r.home
	raw, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatalf("mcpproxy %s: %v", strings.Join(args, " "), err)
	}
	return string(raw), cmd.ProcessState.ExitCode()
}

// record is a record of the activity log, as far as these tests look at it.
type record struct {
	Type, Status, Decision, Rule string
	ErrorMessage                 string `json:"error_message"`
	Metadata                     struct {
		Reason string
		Detail object
	}
}

// records are the newest records that a query finds.
func (r *host) records(query string) []record {
	r.t.Helper()
	var records []record
	if err := r.api.Records(query, &records); err != nil {
		r.t.Fatalf("the activity log does not answer to %s: %v", query, err)
	}
	return records
}

// refusals are the processes of which the log says that one kind of request ("decision" or
// "call") was refused to them.
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

// recorded waits until the log has a refusal. Of many in a short time it has the first, and
// counts the others.
func (r *host) recorded(askedFor string) {
	r.t.Helper()
	r.until("the log has a refusal", func() bool { return len(r.refusals(askedFor)) > 0 })
}

// fill puts the host's paths into a command line.
func (r *host) fill(line string) string {
	_, port, _ := net.SplitHostPort(r.listen)
	return strings.NewReplacer("MCPPROXY", filepath.Join(programs, "mcpproxy"), "HOOK", filepath.Join(programs, "mcpproxy-hook"),
		"SOCKET", r.socket(), "CONFIG", r.config, "PORT", port, "HOME", r.home, "KEY", apiKey,
		"PID", strconv.Itoa(r.pid())).
		Replace(line)
}

func (r *host) pid() int { return r.daemon.PID() }

// needs skips a test whose program is not installed, and says so.
func needs(t *testing.T, program string) {
	t.Helper()
	if program == "" {
		return
	}
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s IS NOT INSTALLED: THIS ATTACK IS NOT TRIED", strings.ToUpper(program))
	}
}
