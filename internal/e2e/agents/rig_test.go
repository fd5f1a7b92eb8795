package agents_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// installed returns the path of an agent's program in its npm folder. If the program cannot be run, the test says so
// and is skipped. In CI, `make test-agents` has installed it, so the test fails.
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

// machine is a user's machine with the demo's vault, a project and a scripted model.
type machine struct {
	*rig.Machine
	t        *testing.T
	project  string
	model    *agents.Model
	modelURL string
}

const patience = 60 * time.Second

func newMachine(t *testing.T) *machine {
	t.Helper()
	data, err := os.MkdirTemp("", "mpd") // the path is short, because a socket's path may have at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(data) })
	project, err := filepath.EvalSymlinks(t.TempDir()) // agents trust the folder by its real path
	if err != nil {
		t.Fatal(err)
	}
	home, config := t.TempDir(), filepath.Join(data, "config.json")
	r := &machine{
		Machine: &rig.Machine{
			Programs: programs,
			Home:     home,
			Data:     data,
			Config:   config,
			Env:      []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MCPPROXY_CONFIG=" + config},
			Patience: patience,
		},
		t:       t,
		project: project,
		model:   &agents.Model{},
	}
	server := httptest.NewServer(r.model)
	r.modelURL = server.URL
	t.Cleanup(func() {
		server.Close()
		if t.Failed() {
			t.Logf("the model heard:\n%s", strings.Join(r.model.Answers(), "\n"))
		}
	})
	r.Setup(t, "agents-key", map[string]any{
		"data_dir":   data,
		"mcpServers": []any{r.DemoServer("vault")},
	})
	return r
}

// env returns the environment of the machine's programs, and more.
func (r *machine) env(more ...string) []string { return slices.Concat(r.Env, more) }

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

// until waits for a condition. Unlike a function that ends the test, it may be called from any goroutine.
func (r *machine) until(what string, done func() bool) {
	r.t.Helper()
	if !eventually.Within(patience, done) {
		r.t.Errorf("not within %s: %s", patience, what)
	}
}

// events returns the hook events that the daemon has recorded, and counts them by name.
func (r *machine) events() map[string]int {
	var records []struct {
		Metadata struct {
			Detail struct{ Event string }
		}
	}
	count := map[string]int{}
	if r.API.Records("type=hook_evaluation", &records) == nil {
		for _, a := range records {
			count[a.Metadata.Detail.Event]++
		}
	}
	return count
}

// remembered waits until a hook has reported an event with that name. An agent does not wait for the hook after a
// tool, and the scripted model answers faster than a real one.
func (r *machine) remembered(event string) func() {
	return func() {
		r.until("the daemon hears of "+event, func() bool { return r.events()[event] > 0 })
	}
}

// agent runs an agent's program to its end. It must exit with 0.
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
