package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
)

// contains returns an error unless text contains part.
func contains(text, part string) error {
	if !strings.Contains(text, part) {
		return fmt.Errorf("no %q in %.2000s", part, text)
	}
	return nil
}

func TestTheFirstStartWritesACommentedConfiguration(t *testing.T) {
	t.Parallel()
	home, err := os.MkdirTemp("", "mp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	d := &daemon{
		t:       t,
		program: bin.race,
		dir:     filepath.Join(home, ".mcpproxy"),
		log:     &rig.Log{},
		env:     []string{"HOME=" + home, "MCPPROXY_LISTEN=127.0.0.1:0"},
	}
	d.config = filepath.Join(d.dir, "mcp_config.json")
	t.Cleanup(d.stop)
	d.run()
	for path, want := range map[string]fs.FileMode{
		d.dir:                                 0o700,
		d.config:                              0o600,
		filepath.Join(d.dir, "activity.db"):   0o600,
		filepath.Join(d.dir, "mcpproxy.sock"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
	text, err := os.ReadFile(d.config)
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`"api_key": "([0-9a-f]{64})"`).FindSubmatch(text)
	if key == nil || !strings.Contains(string(text), "// Your MCP servers.") {
		t.Fatalf("the file has no key or no comments:\n%s", text)
	}
	if out, err := d.command("config", "validate"); err != nil {
		t.Errorf("the file does not hold: %v\n%s", err, out)
	}
	for given, want := range map[string]int{string(key[1]): http.StatusOK, "": http.StatusUnauthorized, "x": http.StatusUnauthorized} {
		req, err := http.NewRequest(http.MethodGet, d.url("/api/v1/status"), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", given)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("with the key %q: HTTP status %d, want %d", given, resp.StatusCode, want)
		}
	}
}

func TestABrokenConfigurationIsReportedAndTheOldOneStays(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("calm", "calm"))
	c := open(t, d.url("/mcp/s/calm"), stateful)
	good := d.settings()
	for name, broken := range map[string]struct{ text, says string }{
		"no JSON":        {`{"listen": `, "mcp_config.json"},
		"an unknown key": {"{\n  \"mcpServer\": []\n}", "mcpServers"},
		"a key twice":    {"{\n  \"listen\": \"127.0.0.1:1\",\n  \"listen\": \"127.0.0.1:2\"\n}", ":3"},
	} {
		d.log.Reset()
		d.writeRaw([]byte(broken.text))
		eventually.SucceedsWithin(t, 60*time.Second, name+" is reported", func() error {
			log := d.log.String()
			return errors.Join(contains(log, "the old one stays in force"), contains(log, broken.says))
		})
		expectDone(t, c)
	}
	d.log.Reset()
	d.write(good)
	eventually.SucceedsWithin(
		t,
		patience,
		"the good file is read",
		func() error { return contains(d.log.String(), "the configuration was read again") },
	)
	expectDone(t, c)
}

func TestAServerIsAddedWhileACallRuns(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("slow", "slow"))
	c := open(t, d.url("/mcp/all"), stateful)
	running := make(chan answer, 1)
	go func() {
		a, err := c.try(
			context.Background(),
			[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow__read_thing"}}`),
		)
		if err != nil {
			a.body = []byte(err.Error())
		}
		running <- a
	}()
	time.Sleep(200 * time.Millisecond)
	settings := d.settings()
	settings["mcpServers"] = []object{ownServer("slow", "slow"), ownServer("calm", "calm")}
	d.write(settings)
	if a := <-running; a.rpc.Result == nil || a.rpc.isError() {
		t.Errorf("the running call got %s", a.body)
	}
	d.waitTools("calm")
	expectDone(t, open(t, d.url("/mcp/s/calm"), stateful))

	settings["mcpServers"] = []object{ownServer("slow", "slow")}
	d.write(settings)
	eventually.Succeeds(t, "the removed server is forgotten", func() error {
		a := c.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		if strings.Contains(string(a.body), "calm__") {
			return errors.New("its tools are still listed")
		}
		return nil
	})
}

func TestAStartThatCannotWorkSaysWhyByItsExitCode(t *testing.T) {
	t.Parallel()
	first := start(t)
	for _, c := range []struct {
		name, config string
		code         int
		says         string
	}{
		{"the port is in use", `{"listen": "` + first.addr + `", "data_dir": "{{DIR}}"}`, 2, "is in use"},
		{"the data folder is in use", `{"listen": "127.0.0.1:0", "data_dir": "` + first.dir + `"}`, 3, "locked"},
		{"the file is no JSON", `{"listen": `, 4, "mcp_config.json"},
		{"a key is unknown", "{\n\"listn\": \"127.0.0.1:0\"\n}", 4, `"listen"`},
		{"a key is given twice", "{\n\"listen\": \"a:1\",\n\"listen\": \"a:2\"\n}", 4, ":3"},
		{"a value is of the wrong kind", "{\n\"listen\": 8080\n}", 4, ":2"},
		{"two servers have one name", `{"mcpServers": [{"name":"a","command":"x"},{"name":"a","command":"y"}]}`, 4, `"a"`},
		{"a reference leads nowhere", `{"mcpServers": [{"name":"a","command":"x","env":{"K":"${env:MP_E2E_NOT_SET}"}}]}`, 4, "MP_E2E_NOT_SET"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mcp_config.json")
			text := strings.ReplaceAll(c.config, "{{DIR}}", t.TempDir())
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, bin.plain, "serve", "--config", path)
			cmd.Env = rig.Environment()
			out, err := cmd.CombinedOutput()
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != c.code {
				t.Errorf("serve ended with %v, want exit code %d\n%s", err, c.code, out)
			}
			if err := contains(string(out), c.says); err != nil {
				t.Error(err)
			}
		})
	}
}

// families returns servers of several kinds: a correct one, one that ignores both the end of its input and SIGTERM,
// and one that a shell has started together with another program.
func families() []object {
	shell := ownServer("shell", "calm")
	shell["args"] = []string{"-c", `sleep 300 & "$0"; exit 0`, shell["command"].(string)}
	shell["command"] = "sh"
	return []object{ownServer("calm", "calm"), ownServer("deaf", "deaf"), shell}
}

func TestNoChildOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	d := start(t, families()...)
	open(t, d.url("/mcp/s/calm"), stateful) // in a process of its own
	if got := len(rig.Descendants(d.process.PID())); got < 6 {
		t.Fatalf("the daemon has %d descendants, want 6 or more", got)
	}
	d.stop() // checks that no process survives
}

func TestNoServerOutlivesADaemonThatIsKilled(t *testing.T) {
	t.Parallel()
	d := start(t, families()...)
	open(t, d.url("/mcp/s/deaf"), stateful)
	var children []rig.Descendant // the daemon cannot end what they have started themselves
	for _, p := range rig.Descendants(d.process.PID()) {
		if p.Parent == d.process.PID() {
			children = append(children, p)
		}
	}
	all := rig.Descendants(d.process.PID())
	d.kill()
	rig.ExpectGone(d.t, children)
	for _, p := range all {
		if p.Alive() {
			if proc, err := os.FindProcess(p.PID); err == nil {
				_ = proc.Kill()
			}
		}
	}
}

func TestTheStdioBridgeSurvivesARestartOfTheDaemon(t *testing.T) {
	for _, revision := range []string{stateful, stateless} {
		for name, end := range map[string]func(*daemon){"stopped": (*daemon).stop, "killed": (*daemon).kill} {
			t.Run(name+", "+revision, func(t *testing.T) {
				t.Parallel()
				d := start(t, ownServer("calm", "calm"))
				s := d.bridged(t, revision, "--all")
				use(t, s, "calm__read_thing", object{})
				end(d)
				_, err := s.ListTools(within(t), nil)
				if err == nil || !strings.Contains(err.Error(), "mcpproxy serve") {
					t.Errorf("without a daemon the agent is told %v", err)
				}
				d.run()
				d.waitTools("calm")
				use(t, s, "calm__read_thing", object{})
				use(t, s, "calm__read_thing", object{})
			})
		}
	}
}
