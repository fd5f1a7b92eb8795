//go:build linux

package guard_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// exitConfig is the exit code for a refused configuration.
const exitConfig = 4

func TestServeRefusesToStartWithUnsafeFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings object
		open     func(r *host) error
		says     string
	}{
		{"a listener for all without a required key", object{"listen": "0.0.0.0:0", "require_mcp_auth": false}, nil, "require_mcp_auth"},
		{"a configuration that all may write", nil, func(r *host) error { return os.Chmod(r.Config, 0o666) }, "chmod go-w"},
		{"a data folder that all may write", nil, func(r *host) error { return os.Chmod(r.Data, 0o777) }, "chmod go-w"},
		{"a secret that never ends", object{"api_key": "${file:/dev/zero}"}, nil, "device"},
		{"a secret that is a named pipe", object{"api_key": "${file:pipe}"},
			func(r *host) error { return syscall.Mkfifo(filepath.Join(r.Data, "pipe"), 0o600) }, "pipe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newHost(t, c.settings)
			if c.open != nil {
				if err := c.open(r); err != nil {
					t.Fatal(err)
				}
			}
			if out, code := r.mcpproxy("serve"); code != exitConfig || !strings.Contains(out, c.says) {
				t.Errorf("serve exits with %d and says %s", code, out)
			}
		})
	}
}

// memory returns the daemon's present and peak memory, in MB.
func (r *host) memory() (now, most int) {
	r.t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", r.pid()))
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), ":")
		kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
		switch name {
		case "VmRSS":
			now = kb >> 10
		case "VmHWM":
			most = kb >> 10
		}
	}
	return now, most
}

func TestLargeGreetingsLeaveNothing(t *testing.T) {
	t.Parallel()
	r := newHost(t, nil)
	r.Serve(2)
	hello := bytes.Repeat([]byte("x"), 15<<20)
	body := object{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  "initialize",
		"params": object{
			"protocolVersion": "2025-06-18",
			"clientInfo":      object{"name": "flood", "version": "1"},
			"capabilities":    object{"experimental": object{"x": object{"y": string(hello)}}},
		},
	}
	for range 20 {
		status, answer := r.request(http.MethodPost, "/mcp", body)
		if status == 0 || bytes.Contains(answer, []byte("serverInfo")) {
			t.Fatalf("a greeting of 15 MB is answered with %d: %.200s", status, answer)
		}
	}
	if _, most := r.memory(); most > 400 {
		t.Errorf("the daemon held %d MB", most)
	}
	r.until("the memory is given back", func() bool { now, _ := r.memory(); return now < 160 })
}

func TestAnotherUserIsRefusedBehindAnOpenSocket(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("NOT ROOT: ANOTHER USER IS NOT PLAYED")
	}
	needs(t, "curl")
	r := newHost(t, nil)
	r.Serve(2)
	for path, mode := range map[string]os.FileMode{r.Home: 0o755, r.Data: 0o755, r.socket(): 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for uid, admitted := range map[uint32]bool{0: true, 65534: false} {
		cmd := exec.Command("curl", "-sS", "--unix-socket", r.socket(), "http://localhost/api/v1/status")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.CombinedOutput()
		if (err == nil) != admitted || strings.Contains(string(out), "success") != admitted {
			t.Errorf("user %d is answered with %q, %v", uid, out, err)
		}
	}
	r.until(
		"the refusal is told",
		func() bool { return strings.Contains(r.Log.String(), "a connection of another user") },
	)
}

// The name of a method can carry data, so it is inspected like everything else that goes out.
func TestAKeyInTheNameOfAMethodGoesNowhere(t *testing.T) {
	t.Parallel()
	r := newHost(t, nil)
	r.Serve(2)
	key := treasure + "Zq7Rk2Wm9Xt4Vb8Nc3Hd6Jf5Lp1Ys0G"
	for _, method := range []string{"x/" + key, "tools/call " + key, strings.Repeat("a", 200)} {
		status, answer := r.request(
			http.MethodPost,
			"/mcp/s/vault",
			object{"jsonrpc": "2.0", "id": 1, "method": method},
		)
		if status == http.StatusOK && !bytes.Contains(answer, []byte(`"error"`)) {
			t.Errorf("the method %.60s is answered with %d: %s", method, status, answer)
		}
		if bytes.Contains(answer, []byte("unknown method")) ||
			bytes.Contains(answer, []byte("not found")) && bytes.Contains(answer, []byte(key)) {
			t.Errorf("the method %.60s has reached the server: %s", method, answer)
		}
	}
}
