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

// commandKind is the kind of a reference to what a command prints.
const commandKind = "cmd"

// commandOutput is how many bytes a command may print.
const commandOutput = 64 << 10

// commandGrace is how long the pipe of a command that was killed may stay open.
const commandGrace = time.Second

// commandVariables are the variables that a command gets beside [child.Environment]: those by which
// it finds the user's session, where it may ask a question, and the password managers' own. A name
// that ends in * stands for all that begin so.
var commandVariables = []string{
	"USER", "LOGNAME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "DBUS_SESSION_BUS_ADDRESS",
	"DISPLAY", "WAYLAND_DISPLAY", "SSH_AUTH_SOCK", "GNUPGHOME", "GPG_TTY",
	"OP_*", "VAULT_*", "AWS_*", "PASSWORD_STORE_*",
}

// commandEnvironment picks the variables of a command from those of this process. Folders of PATH
// that are not absolute are left out: a program would be found by where this process was started.
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
	text string // as it stands in the file
	path string // of the program
	args []string
}

// newCommand splits a command and finds its program. It refuses a program that other users can
// change, since they would run with the owner's rights.
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

// name is how errors name the command: its program, and never its arguments.
func (c *command) name() string { return filepath.Base(c.path) }

// run returns what the command prints, without its last newline. No error holds what it printed.
func (c *command) run(ctx context.Context, timeout time.Duration) (string, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.Command(c.path, c.args...)
	cmd.Dir = userFolder() // no file of the folder where mcpproxy was started has a say
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

// bounded keeps what is written to it, up to its room. The buffer is not embedded: its ReadFrom
// has no bound.
type bounded struct {
	buffer bytes.Buffer
	room   int
	over   bool
}

// Write fails once there is more than fits: the writer need not go on.
func (b *bounded) Write(p []byte) (int, error) {
	if b.buffer.Len()+len(p) > b.room {
		b.over = true
		return 0, io.ErrShortWrite
	}
	return b.buffer.Write(p)
}

// commands runs the commands of references. It runs one of a text at a time, whoever asks for it,
// and keeps what it printed for a while, so that a file that is saved again and again does not have
// its owner asked each time. It keeps no failure.
type commands struct {
	mu   sync.Mutex
	kept map[string]printed
	busy map[string]*running
}

type printed struct {
	value string
	until time.Time
}

// running is a command that somebody waits for.
type running struct {
	waiting int
	cancel  context.CancelFunc // called when nobody waits any more
	done    chan struct{}
	value   string
	err     error
}

// ownCommands are those of this process.
var ownCommands = &commands{kept: map[string]printed{}, busy: map[string]*running{}}

// get returns what a command prints. It stops waiting when ctx ends.
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
				delete(c.busy, text) // the next one who asks does not get this end
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
