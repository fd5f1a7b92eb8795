package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"mcpproxy/internal/e2e/rig"
)

// daemon is the mcpproxy under test.
type daemon struct {
	program string
	config  string
	dir     string
	tokens  []string // tokens of the agents

	mu      sync.Mutex
	process *rig.Process
	address string
	log     *rig.Log
}

// prepare builds the program, writes its configuration, starts it and creates a token for each agent.
func prepare(dir string, agents int) (*daemon, error) {
	d := &daemon{
		program: filepath.Join(dir, "mcpproxy"),
		config:  filepath.Join(dir, "mcp_config.json"),
		dir:     filepath.Join(dir, "data"),
		log:     &rig.Log{},
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	server := func(name string) map[string]any {
		return map[string]any{
			"name":         name,
			"command":      self,
			"env":          map[string]string{roleVariable: name},
			"timeout_secs": 3,
		}
	}
	settings, err := json.MarshalIndent(map[string]any{
		"listen":   "127.0.0.1:0",
		"data_dir": d.dir,
		"activity": map[string]any{"durability": "all", "max_records": 0, "max_size_mb": 0},
		"security": map[string]any{
			"tool_quarantine": map[string]any{"auto_quarantine_new_tools": false},
			"flow_policy":     map[string]any{"internal_to_external": "deny"},
			"flow_tracking":   map[string]any{"session_timeout_minutes": 1},
			"classification":  map[string]any{"server_overrides": map[string]any{diary: "internal", chat: "external"}},
		},
		"mcpServers": []any{server(diary), server(chat), server(faulty)},
	}, "", " ")
	if err == nil {
		err = errors.Join(
			os.Mkdir(d.dir, 0o700),
			os.WriteFile(d.config, settings, 0o600),
			rig.Build(dir, rig.Main),
		)
	}
	if err == nil {
		err = d.start()
	}
	for n := 0; n < agents && err == nil; n++ {
		var out string
		if out, err = d.command("token", "create", fmt.Sprint("agent", n)); err == nil {
			d.tokens = append(d.tokens, token.FindString(out))
		}
	}
	return d, err
}

var (
	agentsLine = regexp.MustCompile(`  agents     http://(\S+)/mcp`)
	token      = regexp.MustCompile(`mcp_agt_\S+`)
)

// start starts the daemon and waits until its servers are ready.
func (d *daemon) start() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log.Reset()
	cmd := exec.Command(d.program, "serve", "--config", d.config)
	cmd.Env = rig.Environment()
	p, err := rig.Start(cmd, d.log)
	if err != nil {
		return err
	}
	d.process = p
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if err := p.Check(); err != nil {
			return fmt.Errorf("%w\n%s", err, d.log.Tail(2000))
		}
		found := agentsLine.FindStringSubmatch(d.log.String())
		if found == nil {
			continue
		}
		d.address = found[1]
		if n, err := d.api().Tools(); err == nil && n >= 3 {
			return nil
		}
	}
	return fmt.Errorf("the daemon is not ready after a minute:\n%s", d.log.Tail(2000))
}

func (d *daemon) api() rig.API {
	return rig.API{Socket: filepath.Join(d.dir, "mcpproxy.sock"), Timeout: 10 * time.Second}
}

// at returns the daemon's address for agents.
func (d *daemon) at() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.address
}

// pid returns the process ID of the daemon.
func (d *daemon) pid() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.process.PID()
}

// restart stops or kills the daemon and starts it again.
func (d *daemon) restart(kill bool) error {
	d.mu.Lock()
	p := d.process
	d.mu.Unlock()
	if kill {
		p.Kill()
	} else if err := p.Stop(30 * time.Second); err != nil {
		return fmt.Errorf("stopping the daemon: %w", err)
	}
	return d.start()
}

// killServer kills one of the servers that the daemon has started.
func (d *daemon) killServer() {
	all := rig.Descendants(d.pid())
	if len(all) > 0 {
		_ = syscall.Kill(all[rand.IntN(len(all))].PID, syscall.SIGKILL)
	}
}

// command runs a verb of the command line against the daemon.
func (d *daemon) command(args ...string) (string, error) {
	cmd := exec.Command(d.program, append(args, "--config", d.config)...)
	cmd.Env = rig.Environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("mcpproxy %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// resident returns the daemon's resident memory in MB, and the part of it that consists of file pages, such as those
// of the program.
func (d *daemon) resident() (mb, files float64) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", d.pid()))
	if err != nil {
		return 0, 0
	}
	var size, pages, shared float64
	if _, err := fmt.Sscan(string(raw), &size, &pages, &shared); err != nil {
		return 0, 0
	}
	perMB := float64(os.Getpagesize()) / (1 << 20)
	return pages * perMB, shared * perMB
}

// gauges returns the heap size in bytes and the number of flow sessions. Both are 0 if the daemon does not answer.
func (d *daemon) gauges() (heap, sessions float64) {
	_, answer, err := d.api().Request(http.MethodGet, "/metrics", nil)
	if err != nil {
		return 0, 0
	}
	value := func(name string) float64 {
		_, rest, _ := strings.Cut(string(answer), "\n"+name+" ")
		line, _, _ := strings.Cut(rest, "\n")
		v, _ := strconv.ParseFloat(line, 64)
		return v
	}
	return value("mcpproxy_heap_bytes"), value("mcpproxy_flow_sessions")
}
