package agents_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/e2e/agents"
)

// programs is the folder with mcpproxy and its hook, built once.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mpa")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = dir
	cmd := exec.Command("go", "build", "-o", dir+"/", "mcpproxy/cmd/mcpproxy", "mcpproxy/cmd/mcpproxy-hook")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// installed is the path of an agent's program, from its folder in npm. Where it
// cannot be run the test says so and is skipped, except in CI after `make
// test-agents` has installed it.
func installed(t *testing.T, program string) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("npm", program, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, ".bin", program)
	out, err := exec.Command(path, "--version").CombinedOutput()
	if err == nil {
		return path
	}
	say := t.Skipf
	if _, absent := os.Stat(folder); absent == nil && os.Getenv("CI") == "true" {
		say = t.Fatalf
	}
	say("%s IS NOT TESTED: it cannot be run here (%v %s); `make test-agents` installs it", strings.ToUpper(program), err, out)
	return ""
}

// rig is a user's machine: a home, a project, a daemon with the demo's vault, and
// a scripted model.
type rig struct {
	t             *testing.T
	home, project string
	data          string
	model         *agents.Model
	modelURL      string
	listen        string
	daemon        *exec.Cmd
	log           bytes.Buffer
}

const patience = 60 * time.Second

func newRig(t *testing.T) *rig {
	t.Helper()
	data, err := os.MkdirTemp("", "mpd") // short: a socket's path is at most 107 bytes long
	if err != nil {
		t.Fatal(err)
	}
	project, err := filepath.EvalSymlinks(t.TempDir()) // agents trust it by its real name
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, home: t.TempDir(), project: project, data: data, model: &agents.Model{}, listen: freeAddress(t)}
	server := httptest.NewServer(r.model)
	r.modelURL = server.URL
	t.Cleanup(func() {
		r.stop()
		server.Close()
		if t.Failed() {
			t.Logf("log of the daemon:\n%s\nthe model heard:\n%s", r.log.String(), strings.Join(r.model.Answers(), "\n"))
		}
		os.RemoveAll(data)
	})
	config := map[string]any{"listen": r.listen, "data_dir": data, "api_key": "agents-key", "mcpServers": []any{
		map[string]any{"name": "vault", "command": filepath.Join(programs, "mcpproxy"), "args": []string{"demo-server", "vault"}}},
		"security": map[string]any{"tool_quarantine": map[string]any{"auto_quarantine_new_tools": false}}}
	raw, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	r.write(filepath.Join(data, "config.json"), string(raw))
	return r
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (r *rig) write(path, content string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// env is a clean environment with a home and nothing else.
func (r *rig) env(more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "MCPPROXY_CONFIG=" + filepath.Join(r.data, "config.json")}, more...)
}

// mcpproxy runs a command of the program.
func (r *rig) mcpproxy(args ...string) string {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(programs, "mcpproxy"), args...)
	cmd.Env, cmd.Dir = r.env(), r.project
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("mcpproxy %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// serve starts the daemon and waits for the vault's tool.
func (r *rig) serve() {
	r.t.Helper()
	r.daemon = exec.Command(filepath.Join(programs, "mcpproxy"), "serve")
	r.daemon.Env, r.daemon.Stderr = r.env(), &r.log
	if err := r.daemon.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.until("the vault is ready", func() bool {
		var st struct{ Tools int }
		return r.get("/api/v1/status", &st) && st.Tools == 1
	})
}

func (r *rig) stop() {
	if r.daemon == nil {
		return
	}
	_ = r.daemon.Process.Signal(syscall.SIGTERM)
	_ = r.daemon.Wait()
	r.daemon = nil
}

func (r *rig) until(what string, done func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
	}
	r.t.Errorf("it never came that %s", what)
}

func (r *rig) get(path string, into any) bool {
	req, err := http.NewRequest(http.MethodGet, "http://"+r.listen+path, nil)
	if err != nil {
		return false
	}
	req.Header.Set("X-API-Key", "agents-key")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var body struct {
		Data json.RawMessage `json:"data"`
	}
	return json.NewDecoder(resp.Body).Decode(&body) == nil && json.Unmarshal(body.Data, into) == nil
}

// events are the hooks' events that the daemon has written down, and how many of
// each.
func (r *rig) events() map[string]int {
	var page struct {
		Activities []struct {
			Metadata struct {
				Detail struct{ Event string }
			}
		}
	}
	count := map[string]int{}
	if r.get("/api/v1/activity?type=hook_evaluation&limit=100", &page) {
		for _, a := range page.Activities {
			count[a.Metadata.Detail.Event]++
		}
	}
	return count
}

// remembered waits until a hook has told the daemon of an event of that name: an
// agent does not wait for the hook after a tool, and a real model takes longer
// than a script to say the next thing.
func (r *rig) remembered(event string) func() {
	return func() {
		r.until("the daemon hears of "+event, func() bool { return r.events()[event] > 0 })
	}
}

// agent runs an agent's program to its end, which must be a good one.
func (r *rig) agent(path string, env, args []string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env, cmd.Dir = r.env(env...), r.project
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", filepath.Base(path), err, out)
	}
	return string(out)
}
