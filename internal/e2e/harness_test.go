package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// bin holds the programs that TestMain built.
var bin struct {
	race    string // mcpproxy, with the race detector where the tests have it
	plain   string // mcpproxy as it ships: for measuring memory
	fixture string // the go-sdk's conformance server
}

func TestMain(m *testing.M) {
	if mode := os.Getenv(serverVariable); mode != "" {
		playServer(mode)
		return
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mpbin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin.plain, bin.fixture = filepath.Join(dir, "mcpproxy"), filepath.Join(dir, "fixture")
	err = errors.Join(
		goBuild(bin.plain, "CGO_ENABLED=0", "mcpproxy/cmd/mcpproxy"),
		goBuild(bin.fixture, "CGO_ENABLED=0", "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	bin.race = bin.plain
	if raceDetector { // make race
		bin.race += "-race"
		err = goBuild(bin.race, "CGO_ENABLED=1", append(raceFlags, "mcpproxy/cmd/mcpproxy")...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// The tests wait more than they compute.
	if flag.Parse(); flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = flag.Set("test.parallel", "6")
	}
	return m.Run()
}

// raceFlags are those of the Makefile.
var raceFlags = []string{"-race", "-gcflags=github.com/wasilibs/go-re2/internal/wasm=-race=false -l",
	"-gcflags=modernc.org/sqlite/lib=-race=false -d=checkptr=0", "-gcflags=modernc.org/libquickjs=-race=false -d=checkptr=0"}

func goBuild(out, env string, args ...string) error {
	cmd := exec.Command("go", append([]string{"build", "-o", out}, args...)...)
	cmd.Env = append(os.Environ(), env)
	if msg, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", strings.Join(args, " "), err, msg)
	}
	return nil
}

// object is a JSON object.
type object = map[string]any

// daemon is one running mcpproxy.
type daemon struct {
	t       *testing.T
	program string
	dir     string // data_dir
	config  string // path of the configuration file
	env     []string
	addr    string // of the TCP listener
	cmd     *exec.Cmd
	log     *logBuffer
	exited  chan error
}

const apiKey = "e2e-key-of-no-value"

// start runs the daemon with these servers and waits until each of them is
// ready and has listed its tools.
func start(t *testing.T, servers ...object) *daemon {
	t.Helper()
	return startProgram(t, bin.race, servers...)
}

func startProgram(t *testing.T, program string, servers ...object) *daemon {
	t.Helper()
	d := prepare(t, object{"mcpServers": append([]object{}, servers...)})
	d.program = program
	d.run()
	for _, s := range servers {
		d.waitTools(s["name"].(string))
	}
	return d
}

// prepare writes the configuration of a daemon that is not started yet. Its
// data folder has a short name: a Unix socket's path is at most 107 bytes long.
func prepare(t *testing.T, settings object) *daemon {
	t.Helper()
	dir, err := os.MkdirTemp("", "mp")
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, program: bin.race, dir: dir, config: filepath.Join(t.TempDir(), "mcp_config.json"), log: &logBuffer{}}
	whole := object{"listen": "127.0.0.1:0", "data_dir": dir, "api_key": apiKey,
		"security": object{"tool_quarantine": object{"auto_quarantine_new_tools": false}}}
	for k, v := range settings {
		whole[k] = v
	}
	d.write(whole)
	t.Cleanup(func() {
		d.stop()
		if t.Failed() {
			t.Logf("log of the daemon:\n%s", d.log.tail(8000))
		}
		os.RemoveAll(dir)
	})
	return d
}

// write replaces the configuration at once, as editors do.
func (d *daemon) write(settings object) {
	d.t.Helper()
	raw, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		d.t.Fatal(err)
	}
	d.writeRaw(raw)
}

func (d *daemon) writeRaw(raw []byte) {
	d.t.Helper()
	if err := errors.Join(os.WriteFile(d.config+".new", raw, 0o600), os.Rename(d.config+".new", d.config)); err != nil {
		d.t.Fatal(err)
	}
}

// settings reads the configuration back.
func (d *daemon) settings() object {
	d.t.Helper()
	raw, err := os.ReadFile(d.config)
	if err != nil {
		d.t.Fatal(err)
	}
	var s object
	if err := json.Unmarshal(raw, &s); err != nil {
		d.t.Fatal(err)
	}
	return s
}

var agentsLine = regexp.MustCompile(`  agents     http://(\S+)/mcp`)

// run starts the process and waits for its address.
func (d *daemon) run() {
	d.t.Helper()
	d.log.reset()
	d.cmd = exec.Command(d.program, "serve", "--config", d.config)
	d.cmd.Stdout, d.cmd.Stderr = d.log, d.log
	d.cmd.Env = cleanEnvironment(d.env...)
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	exited := make(chan error, 1)
	cmd := d.cmd
	go func() { exited <- cmd.Wait() }()
	d.exited = exited
	eventually(d.t, 30*time.Second, "the daemon starts", func() error {
		if found := agentsLine.FindStringSubmatch(d.log.String()); found != nil {
			d.addr = found[1]
			return nil
		}
		select {
		case err := <-exited:
			exited <- err
			d.t.Fatalf("the daemon ended at once: %v\n%s", err, d.log)
		default:
		}
		return errors.New("it has not said its address")
	})
}

// cleanEnvironment keeps a user's own settings out of the tests.
func cleanEnvironment(more ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "MCPPROXY_") && !strings.HasPrefix(kv, "CLAUDE_") {
			env = append(env, kv)
		}
	}
	return append(env, more...)
}

// stop ends the daemon as an operator would, and looks at what it leaves.
func (d *daemon) stop() {
	d.t.Helper()
	if d.cmd == nil {
		return
	}
	children := descendants(d.cmd.Process.Pid)
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-d.exited:
		if err != nil {
			d.t.Errorf("the daemon ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		d.t.Error("the daemon does not stop on SIGTERM")
		_ = d.cmd.Process.Kill()
		<-d.exited
	}
	d.cmd = nil
	d.expectGone(children)
	if log := d.log.String(); strings.Contains(log, "DATA RACE") || strings.Contains(log, "panic:") {
		d.t.Errorf("the daemon's log shows a data race or a panic:\n%s", around(log, "DATA RACE", "panic:"))
	}
}

// kill ends the daemon as the kernel would.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill()
	<-d.exited
	d.cmd = nil
}

func (d *daemon) url(path string) string { return "http://" + d.addr + path }

// api asks the REST API over the socket.
func (d *daemon) api(path string, out any) error {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(d.dir, "mcpproxy.sock"))
		}}}
	resp, err := client.Get("http://localhost/api/v1" + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: HTTP status %s: %s", path, resp.Status, raw)
	}
	var body struct{ Data json.RawMessage }
	if err := json.Unmarshal(raw, &body); err != nil {
		return err
	}
	return json.Unmarshal(body.Data, out)
}

// waitTools waits until a server is ready and its tools are listed.
func (d *daemon) waitTools(name string) {
	d.t.Helper()
	eventually(d.t, patience, "server "+name+" is ready", func() error {
		var servers []struct {
			Name, State, Error string
			Tools              int
		}
		if err := d.api("/servers", &servers); err != nil {
			return err
		}
		for _, s := range servers {
			if s.Name == name && s.State == "ready" && s.Tools > 0 {
				return nil
			}
		}
		return fmt.Errorf("servers are %+v", servers)
	})
}

// command runs a verb of the command line against the daemon.
func (d *daemon) command(args ...string) (string, error) {
	cmd := exec.Command(d.program, append(args, "--config", d.config)...)
	cmd.Env = cleanEnvironment(d.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// eventually polls until check holds.
func eventually(t *testing.T, within time.Duration, what string, check func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	t.Fatalf("%s: not within %s: %v", what, within, err)
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *logBuffer) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Reset()
}

func (b *logBuffer) tail(n int) string {
	s := b.String()
	return s[max(0, len(s)-n):]
}

// around shows where a log says the first of some words.
func around(log string, words ...string) string {
	for _, w := range words {
		if i := strings.Index(log, w); i >= 0 {
			return log[max(0, i-200):min(len(log), i+3000)]
		}
	}
	return ""
}
