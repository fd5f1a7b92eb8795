package agents_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/e2e/agents"
	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
)

// programs is the folder with mcpproxy and its hook, built once.
var programs string

func TestMain(m *testing.M) {
	os.Exit(rig.InFolder(func(dir string) error {
		programs = dir
		return rig.Build(dir, rig.Main, rig.Hook)
	}, m.Run))
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
	say(
		"%s IS NOT TESTED: it cannot be run here (%v %s); `make test-agents` installs it",
		strings.ToUpper(program),
		err,
		out,
	)
	return ""
}

// machine is a user's machine: a home, a project, a daemon with the demo's vault, and
// a scripted model.
type machine struct {
	t             *testing.T
	home, project string
	data          string
	model         *agents.Model
	modelURL      string
	listen        string
	daemon        *rig.Process // nil if it does not run
	log           rig.Log
	api           rig.API
}

const patience = 60 * time.Second

func newMachine(t *testing.T) *machine {
	t.Helper()
	data, err := os.MkdirTemp("", "mpd") // short: a socket's path is at most 107 bytes long
	if err != nil {
		t.Fatal(err)
	}
	project, err := filepath.EvalSymlinks(t.TempDir()) // agents trust it by its real name
	if err != nil {
		t.Fatal(err)
	}
	r := &machine{
		t:       t,
		home:    t.TempDir(),
		project: project,
		data:    data,
		model:   &agents.Model{},
		listen:  rig.FreeAddress(t),
	}
	r.api = rig.API{Address: r.listen, Key: "agents-key", Timeout: patience}
	server := httptest.NewServer(r.model)
	r.modelURL = server.URL
	t.Cleanup(func() {
		r.stop()
		server.Close()
		if t.Failed() {
			t.Logf(
				"log of the daemon:\n%s\nthe model heard:\n%s",
				r.log.String(),
				strings.Join(r.model.Answers(), "\n"),
			)
		}
		os.RemoveAll(data)
	})
	config := map[string]any{
		"listen":   r.listen,
		"data_dir": data,
		"api_key":  "agents-key",
		"mcpServers": []any{
			map[string]any{
				"name":    "vault",
				"command": filepath.Join(programs, "mcpproxy"),
				"args":    []string{"demo-server", "vault"},
			},
		},
		"security": map[string]any{"tool_quarantine": map[string]any{"auto_quarantine_new_tools": false}},
	}
	raw, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	r.write(filepath.Join(data, "config.json"), string(raw))
	return r
}

func (r *machine) write(path, content string) {
	r.t.Helper()
	rig.Write(r.t, path, content)
}

// env is a clean environment with a home and nothing else.
func (r *machine) env(more ...string) []string {
	return append(
		[]string{
			"PATH=" + os.Getenv("PATH"),
			"HOME=" + r.home,
			"MCPPROXY_CONFIG=" + filepath.Join(r.data, "config.json"),
		},
		more...)
}

// mcpproxy runs a command of the program.
func (r *machine) mcpproxy(args ...string) string {
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
func (r *machine) serve() {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(programs, "mcpproxy"), "serve")
	cmd.Env = r.env()
	var err error
	if r.daemon, err = rig.Start(cmd, &r.log); err != nil {
		r.t.Fatal(err)
	}
	r.until("the vault is ready", func() bool {
		n, err := r.api.Tools()
		return err == nil && n == 1
	})
}

func (r *machine) stop() {
	if r.daemon == nil {
		return
	}
	_ = r.daemon.Stop(patience)
	r.daemon = nil
}

// until may be called from other goroutines than the test's, so it does not end the test.
func (r *machine) until(what string, done func() bool) {
	r.t.Helper()
	if !eventually.Within(patience, done) {
		r.t.Errorf("not within %s: %s", patience, what)
	}
}

func (r *machine) get(path string, into any) bool {
	return r.api.Get(path, into) == nil
}

// events are the hooks' events that the daemon has written down, and how many of
// each.
func (r *machine) events() map[string]int {
	var records []struct {
		Metadata struct {
			Detail struct{ Event string }
		}
	}
	count := map[string]int{}
	if r.api.Records("type=hook_evaluation", &records) == nil {
		for _, a := range records {
			count[a.Metadata.Detail.Event]++
		}
	}
	return count
}

// remembered waits until a hook has told the daemon of an event of that name: an
// agent does not wait for the hook after a tool, and a real model takes longer
// than a script to say the next thing.
func (r *machine) remembered(event string) func() {
	return func() {
		r.until("the daemon hears of "+event, func() bool { return r.events()[event] > 0 })
	}
}

// agent runs an agent's program to its end, which must be a good one.
func (r *machine) agent(path string, env, args []string) string {
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
