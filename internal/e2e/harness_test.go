package e2e

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
)

// bin contains the paths of the programs that TestMain has built.
var bin struct {
	race    string // mcpproxy; with the race detector if the tests have it
	plain   string // mcpproxy as released, for measuring memory
	fixture string // the conformance server of the Go SDK
}

func TestMain(m *testing.M) {
	if mode := os.Getenv(serverVariable); mode != "" {
		playServer(mode)
		return
	}
	os.Exit(rig.InFolder(build, func() int { return run(m) }))
}

// build builds the programs into the folder.
func build(dir string) error {
	bin.plain, bin.fixture = filepath.Join(dir, "mcpproxy"), filepath.Join(dir, "fixture")
	const fixture = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"
	err := errors.Join(rig.Build(dir, rig.Main), rig.BuildWith("CGO_ENABLED=0", bin.fixture, fixture))
	bin.race = bin.plain
	if raceDetector { // make race
		bin.race += "-race"
		err = errors.Join(err, rig.BuildWith("CGO_ENABLED=1", bin.race, append(raceFlags, rig.Main)...))
	}
	return err
}

func run(m *testing.M) int {
	// The tests mostly wait and use little processor time.
	if flag.Parse(); flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = flag.Set("test.parallel", "6")
	}
	return m.Run()
}

// raceFlags are the flags in the Makefile.
var raceFlags = []string{
	"-race",
	"-gcflags=github.com/wasilibs/go-re2/internal/wasm=-race=false -l",
	"-gcflags=modernc.org/sqlite/lib=-race=false -d=checkptr=0",
	"-gcflags=modernc.org/libquickjs=-race=false -d=checkptr=0",
}

// object is a JSON object.
type object = map[string]any

// daemon is a running mcpproxy.
type daemon struct {
	t       *testing.T
	program string
	dir     string // data_dir
	config  string // path of the configuration file
	env     []string
	addr    string       // address of the TCP listener
	process *rig.Process // nil if it does not run
	log     *rig.Log
}

const apiKey = "e2e-key-of-no-value"

// start starts the daemon with these servers, and waits until each of them is ready and has listed its tools.
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

// startOpen is start for clients that send no key.
func startOpen(t *testing.T, servers ...object) *daemon {
	t.Helper()
	d := prepare(t, object{"require_mcp_auth": false, "mcpServers": servers})
	d.run()
	for _, s := range servers {
		d.waitTools(s["name"].(string))
	}
	return d
}

// prepare writes the configuration of a daemon without starting it. The name of the data folder is short, because a
// Unix socket's path may have at most 107 bytes.
func prepare(t *testing.T, settings object) *daemon {
	t.Helper()
	dir, err := os.MkdirTemp("", "mp")
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{
		t:       t,
		program: bin.race,
		dir:     dir,
		config:  filepath.Join(t.TempDir(), "mcp_config.json"),
		log:     &rig.Log{},
	}
	whole := object{
		"listen":   "127.0.0.1:0",
		"data_dir": dir,
		"api_key":  apiKey,
		"security": object{"tool_quarantine": object{"auto_quarantine_new_tools": false}},
	}
	for k, v := range settings {
		whole[k] = v
	}
	d.write(whole)
	t.Cleanup(func() {
		d.stop()
		if t.Failed() {
			t.Logf("log of the daemon:\n%s", d.log.Tail(8000))
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

// settings reads the current configuration.
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
	d.log.Reset()
	cmd := exec.Command(d.program, "serve", "--config", d.config)
	cmd.Env = rig.Environment(d.env...)
	process, err := rig.Start(cmd, d.log)
	if err != nil {
		d.t.Fatal(err)
	}
	d.process = process
	eventually.SucceedsWithin(d.t, 30*time.Second, "the daemon starts", func() error {
		if found := agentsLine.FindStringSubmatch(d.log.String()); found != nil {
			d.addr = found[1]
			return nil
		}
		if err := process.Check(); err != nil {
			d.t.Fatalf("%v\n%s", err, d.log)
		}
		return errors.New("it has not said its address")
	})
}

// stop ends the daemon with SIGTERM, and checks what it leaves behind.
func (d *daemon) stop() {
	d.t.Helper()
	if d.process == nil {
		return
	}
	children := rig.Descendants(d.process.PID())
	if err := d.process.Stop(20 * time.Second); err != nil {
		d.t.Errorf("the daemon ended with: %v", err)
	}
	d.process = nil
	rig.ExpectGone(d.t, children)
	if crash := d.log.Crash(); crash != "" {
		d.t.Errorf("the daemon's log shows a data race or a panic:\n%s", crash)
	}
}

// kill ends the daemon with SIGKILL.
func (d *daemon) kill() {
	d.process.Kill()
	d.process = nil
}

func (d *daemon) url(path string) string { return "http://" + d.addr + path }

// api sends a request to the REST API over the socket.
func (d *daemon) api(path string, out any) error {
	socket := rig.API{Socket: filepath.Join(d.dir, "mcpproxy.sock"), Timeout: 10 * time.Second}
	return socket.Get("/api/v1"+path, out)
}

// waitTools waits until a server is ready and has listed its tools.
func (d *daemon) waitTools(name string) {
	d.t.Helper()
	eventually.Succeeds(d.t, "server "+name+" is ready", func() error {
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
	cmd.Env = rig.Environment(d.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
