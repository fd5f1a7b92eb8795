package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/child"
)

// commandKind is the kind of a reference to a command's output.
const commandKind = "cmd"

// commandOutput is the maximum length of a command's output, in bytes.
const commandOutput = 64 << 10

// commandGrace is how long the pipe of a killed command may stay open.
const commandGrace = time.Second

// commandVariables are the variables that a command gets in addition to [child.Environment]: the
// variables of the user's session, in which it may ask a question, and those of password managers.
// A name that ends in * is a prefix.
var commandVariables = []string{
	"USER", "LOGNAME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "DBUS_SESSION_BUS_ADDRESS",
	"DISPLAY", "WAYLAND_DISPLAY", "SSH_AUTH_SOCK", "GNUPGHOME", "GPG_TTY",
	"OP_*", "VAULT_*", "AWS_*", "PASSWORD_STORE_*",
}

// commandEnvironment selects the variables of a command from those of this process. It omits
// relative folders from PATH: what they contain depends on where this process was started.
func commandEnvironment(all []string) []string {
	var out []string
	for _, entry := range all {
		name, value, _ := strings.Cut(entry, "=")
		matches := func(pattern string) bool {
			if start, many := strings.CutSuffix(pattern, "*"); many {
				return strings.HasPrefix(name, start)
			}
			return name == pattern || runtime.GOOS == "windows" && strings.EqualFold(name, pattern)
		}
		if !slices.ContainsFunc(child.Environment, matches) && !slices.ContainsFunc(commandVariables, matches) {
			continue
		}
		if strings.EqualFold(name, "PATH") {
			value = absolutePath(value)
		}
		out = append(out, name+"="+value)
	}
	return out
}

func absolutePath(list string) string {
	folders := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(folders, string(filepath.ListSeparator))
}

// command is a ${cmd:…} reference that can be run.
type command struct {
	text string // text of the reference in the file
	path string // path of the program
	args []string
}

// newCommand splits a command and finds its program. It refuses a program that other users can
// change, because it would run with the owner's rights.
func newCommand(text string) (*command, error) {
	all, err := words(text)
	if err != nil {
		return nil, err
	}
	path := all[0]
	switch {
	case filepath.IsAbs(path):
	case strings.ContainsAny(path, `/\`) || strings.HasPrefix(path, "~"):
		return nil, fmt.Errorf("%s: write the program's name, or its path from the root", path)
	default:
		if path, err = findProgram(path); err != nil {
			return nil, err
		}
	}
	if err := atomicfile.CheckWriters(path); err != nil {
		return nil, err
	}
	return &command{text, path, all[1:]}, nil
}

func findProgram(name string) (string, error) {
	for _, dir := range filepath.SplitList(absolutePath(os.Getenv("PATH"))) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("the program %s was not found in PATH", name)
}

// name returns the command's name for errors: its program, never its arguments.
func (c *command) name() string { return filepath.Base(c.path) }

// run returns the command's output without its last newline. No error contains the output.
func (c *command) run(ctx context.Context, timeout time.Duration) (string, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.Command(c.path, c.args...)
	cmd.Dir = userFolder() // the folder where mcpproxy was started must not influence the command
	cmd.Env = commandEnvironment(os.Environ())
	out := &bounded{room: commandOutput}
	cmd.Stdout = out
	cmd.WaitDelay = commandGrace
	family, err := child.Start(cmd)
	if err != nil {
		return "", fmt.Errorf("%s cannot be started: %w", c.name(), errors.Unwrap(err))
	}
	ended := make(chan struct{})
	go func() {
		err = child.Wait(cmd)
		close(ended)
	}()
	select {
	case <-ended:
	case <-limited.Done():
		family.Look()
		family.Kill()
		<-ended
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("%s has not ended within %s", c.name(), timeout)
	}
	switch failed, isExit := errors.AsType[*exec.ExitError](err); {
	case out.over:
		return "", fmt.Errorf("%s prints more than %d bytes", c.name(), commandOutput)
	case isExit:
		return "", fmt.Errorf("%s failed (%s); run it by hand to see why", c.name(), failed.ProcessState)
	case err != nil:
		return "", fmt.Errorf("%s ended, and something that it started still has its output open", c.name())
	}
	text := strings.TrimSuffix(strings.TrimSuffix(out.buffer.String(), "\n"), "\r")
	if text == "" {
		return "", fmt.Errorf("%s printed nothing", c.name())
	}
	return text, nil
}

// bounded is a buffer with a maximum length. It does not embed bytes.Buffer, whose ReadFrom is
// unlimited.
type bounded struct {
	buffer bytes.Buffer
	room   int
	over   bool
}

// Write fails beyond the maximum, so that the writer stops.
func (b *bounded) Write(p []byte) (int, error) {
	if b.buffer.Len()+len(p) > b.room {
		b.over = true
		return 0, io.ErrShortWrite
	}
	return b.buffer.Write(p)
}

// commands runs the commands of references. It runs each command only once at a time, for all
// callers, and caches the output for a while. Saving a file repeatedly therefore does not ask its
// owner each time. Failures are not cached.
type commands struct {
	mu   sync.Mutex
	kept map[string]printed
	busy map[string]*running
}

type printed struct {
	value string
	until time.Time
}

// running is a command that at least one caller waits for.
type running struct {
	waiting int
	cancel  context.CancelFunc // called when no caller waits any more
	done    chan struct{}
	value   string
	err     error
}

// ownCommands are the commands of this process.
var ownCommands = &commands{kept: map[string]printed{}, busy: map[string]*running{}}

// get returns a command's output. It stops waiting when ctx ends.
func (c *commands) get(ctx context.Context, text string, limits Secrets) (string, error) {
	cmd, err := newCommand(text)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	if p, ok := c.kept[text]; ok && time.Now().Before(p.until) {
		c.mu.Unlock()
		return p.value, nil
	}
	r := c.busy[text]
	if r == nil {
		r = c.begin(cmd, limits)
	}
	r.waiting++
	c.mu.Unlock()
	select {
	case <-r.done:
		return r.value, r.err
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		if r.waiting--; r.waiting == 0 {
			r.cancel()
			if c.busy[text] == r {
				delete(c.busy, text) // the next caller must start the command again
			}
		}
		return "", ctx.Err()
	}
}

// begin starts a command in a goroutine. The caller holds the lock.
func (c *commands) begin(cmd *command, limits Secrets) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{cancel: cancel, done: make(chan struct{})}
	c.busy[cmd.text] = r
	go func() {
		defer cancel()
		value, err := cmd.run(ctx, limits.timeout())
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.busy[cmd.text] == r {
			delete(c.busy, cmd.text)
		}
		if err == nil && limits.CommandCacheSecs > 0 {
			c.kept[cmd.text] = printed{value, time.Now().Add(limits.cache())}
		} else {
			delete(c.kept, cmd.text)
		}
		r.value, r.err = value, err
		close(r.done)
	}()
	return r
}
