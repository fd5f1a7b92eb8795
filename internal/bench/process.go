package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// process is a server that is measured.
type process struct {
	pid int
	url string
}

// start starts this program in another role. The process prints its address first.
func start(ctx context.Context, path string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%v did not start: %w", args, err)
	}
	return &process{cmd.Process.Pid, strings.TrimSpace(line)}, nil
}

var address = regexp.MustCompile(`http://(\S+)/mcp `)

// build builds the programs into dir with the flags of a release.
func build(dir string) error {
	cmd := exec.Command(
		"go",
		"build",
		"-trimpath",
		"-ldflags",
		"-s -w",
		"-o",
		dir,
		"./cmd/mcpproxy",
		"./cmd/mcpproxy-hook",
	)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w\n%s", err, out)
	}
	return nil
}

// benchKey is the owner's key of every measured mcpproxy.
const benchKey = "bench-key-of-no-value"

// startProxy starts mcpproxy with the server at upstream behind it. It returns the time until mcpproxy was ready,
// before it connected to any server. The program is in dir; its data folder is the subfolder name.
func startProxy(ctx context.Context, dir, name, upstream string) (*process, time.Duration, error) {
	return startProxyWith(ctx, dir, name, echoBehind(upstream), nil)
}

// echoBehind returns the configuration of the server echo at url.
func echoBehind(url string) map[string]any {
	return map[string]any{"name": "echo", "url": url, "max_sessions": 128}
}

// startProxyWith is startProxy for a server with the given configuration, with more settings and more environment
// variables.
func startProxyWith(
	ctx context.Context,
	dir, name string,
	server, more map[string]any,
	env ...string,
) (*process, time.Duration, error) {
	data := filepath.Join(dir, name)
	conf := filepath.Join(data, "mcp_config.json")
	write := func(servers ...map[string]any) error {
		settings := map[string]any{
			"listen":     "127.0.0.1:0",
			"data_dir":   data,
			"api_key":    benchKey,
			"mcpServers": append([]map[string]any{}, servers...),
			"security":   map[string]any{"tool_quarantine": map[string]any{"auto_quarantine_new_tools": false}},
		}
		maps.Copy(settings, more)
		raw, err := json.Marshal(settings)
		if err != nil {
			return err
		}
		return os.WriteFile(conf, raw, 0o600)
	}
	if err := errors.Join(os.MkdirAll(data, 0o700), write()); err != nil {
		return nil, 0, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "mcpproxy"), "serve", "--config", conf, "--log-level", "error")
	cmd.Env = append(os.Environ(), env...)
	errs, err := cmd.StderrPipe()
	if err != nil {
		return nil, 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	lines := bufio.NewScanner(errs)
	said := ""
	for lines.Scan() {
		said += "\n" + lines.Text()
		m := address.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		started := time.Since(begin)
		go func() {
			for lines.Scan() {
			}
		}()
		time.Sleep(time.Second) // the rules compile in the background
		p := &process{cmd.Process.Pid, "http://" + m[1] + "/mcp/s/echo"}
		return p, started, write(server)
	}
	return nil, 0, fmt.Errorf("mcpproxy did not start:%s", said)
}

// cpu returns the user and system time that the process has used.
func (p *process) cpu() time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100
}

// resident returns the process's resident memory in MB.
func (p *process) resident() float64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.pid))
	if err != nil {
		return 0
	}
	pages, _ := strconv.Atoi(strings.Fields(string(raw))[1])
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20)
}

func serve(h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	return http.Serve(l, h)
}

// bare returns a proxy that does only what every proxy must do: it reads a request, forwards it, and copies the
// answer.
func bare(target string) http.Handler {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		req, err := http.NewRequestWithContext(r.Context(), r.Method, target, bytes.NewReader(body))
		if err != nil {
			return
		}
		req.Header = r.Header.Clone()
		resp, err := client.Do(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for k, v := range resp.Header {
			w.Header()[k] = v
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	})
}
