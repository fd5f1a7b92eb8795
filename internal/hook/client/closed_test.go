package client

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// failing are daemons that do not answer.
var failing = map[string]func(t *testing.T, socket string){
	"no daemon": func(*testing.T, string) {},
	"a frozen daemon": func(t *testing.T, socket string) {
		l, err := net.Listen("unix", socket) // no process accepts connections
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	},
	"a daemon that hangs up": func(t *testing.T, socket string) {
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				conn.Close()
			}
		}()
	},
}

// shortDir returns a folder with a path short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func runHook(socket, event string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	o := Options{
		Socket:   socket,
		Agent:    "claude-code",
		Event:    event,
		Deadline: 20 * time.Millisecond,
	}
	code = Run(o, strings.NewReader("{}"), &out, &errs)
	return out.String(), errs.String(), code
}

// Shows: FR-045.
func TestWithoutAnAnswerAHookThatFailsClosedDenies(t *testing.T) {
	for name, begin := range failing {
		t.Run(name, func(t *testing.T) {
			dir := shortDir(t)
			socket := filepath.Join(dir, "s")
			begin(t, socket)
			if err := os.WriteFile(filepath.Join(dir, ClosedFile), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			stdout, stderr, code := runHook(socket, "PreToolUse")
			if code != denied || stdout != "" || !strings.Contains(stderr, "mcpproxy serve") ||
				!strings.Contains(stderr, "security.hooks.fail_open") {
				t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
			}
			if _, _, code := runHook(socket, "PostToolUse"); code != 0 {
				t.Errorf("an event that stops nothing ended with %d", code)
			}
			if _, err := os.Stat(filepath.Join(dir, UnseenFile)); err == nil {
				t.Error("a denied call is noted as one that passed")
			}
		})
	}
}

// Shows: FR-045.
func TestWithoutAnAnswerACallThatPassesIsNoted(t *testing.T) {
	for name, begin := range failing {
		t.Run(name, func(t *testing.T) {
			dir := shortDir(t)
			socket := filepath.Join(dir, "s")
			begin(t, socket)
			before := time.Now().UnixMilli()
			if _, stderr, code := runHook(socket, "PreToolUse"); code != 0 || stderr != "" {
				t.Fatalf("exit code %d, %q", code, stderr)
			}
			_, _, _ = runHook(socket, "PostToolUse")
			raw, err := os.ReadFile(filepath.Join(dir, UnseenFile))
			if err != nil {
				t.Fatal(err)
			}
			var at int64
			var agent string
			if n, err := fmt.Sscan(
				string(raw),
				&at,
				&agent,
			); n != 2 || err != nil || at < before || agent != "claude-code" ||
				strings.Count(string(raw), "\n") != 1 {
				t.Errorf("the note is %q", raw)
			}
			if info, err := os.Stat(filepath.Join(dir, UnseenFile)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the note's mode is %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestTheListOfUnseenCallsDoesNotGrowWithoutBound(t *testing.T) {
	socket := filepath.Join(shortDir(t), "s")
	path := beside(socket, UnseenFile)
	if err := os.WriteFile(path, bytes.Repeat([]byte("1 a\n"), maxUnseen), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	noteUnseen(socket, "codex", time.Now().Add(time.Hour))
	after, err := os.Stat(path)
	if err != nil || after.Size() != before.Size() || !after.ModTime().After(before.ModTime()) {
		t.Errorf("size %d → %d, changed %v → %v", before.Size(), after.Size(), before.ModTime(), after.ModTime())
	}
}

func TestANoteIsWrittenIntoAFileAlone(t *testing.T) {
	dir := shortDir(t)
	target := filepath.Join(dir, "target")
	if err := os.Symlink(target, filepath.Join(dir, UnseenFile)); err != nil {
		t.Fatal(err)
	}
	noteUnseen(filepath.Join(dir, "s"), "codex\nx", time.Now())
	if _, err := os.Stat(target); err == nil {
		t.Error("the note was written through a link")
	}
}
