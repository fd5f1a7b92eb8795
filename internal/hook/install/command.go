package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/lazyregexp"
)

// Command is the command line of the hook, without the flags of one event.
type Command struct {
	Path   string   // absolute path of the program
	Args   []string // "hook", "evaluate" if the program is mcpproxy itself
	Socket string   // socket of the daemon; "" for the default path
}

// Find returns the hook's program: mcpproxy-hook next to the running mcpproxy, or else mcpproxy
// itself. argv0 is the name by which mcpproxy was called. A path found by that name survives an
// update, while the file that a link points to may not.
func Find(argv0 string) (Command, error) {
	var self []string
	if found, err := exec.LookPath(argv0); err == nil {
		if found, err = filepath.Abs(found); err == nil {
			self = append(self, found)
		}
	}
	if found, err := os.Executable(); err == nil {
		self = append(self, found)
	}
	for _, s := range self {
		beside := filepath.Join(filepath.Dir(s), "mcpproxy-hook"+filepath.Ext(s))
		if runnable(beside) {
			return Command{Path: beside}, nil
		}
	}
	if len(self) == 0 {
		return Command{}, errors.New("the path of mcpproxy cannot be determined")
	}
	return Command{Path: self[0], Args: []string{"hook", "evaluate"}}, nil
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || filepath.Ext(path) == ".exe")
}

// prefix returns the program and the arguments that are the same for every event.
func (c Command) prefix() []string {
	words := append([]string{c.Path}, c.Args...)
	if c.Socket != "" {
		words = append(words, "--socket", c.Socket)
	}
	return words
}

// words returns the program and its flags for one event.
func (c Command) words(agent, event string) []string {
	return append(c.prefix(), "--agent", agent, "--event", event)
}

// line returns the command as a shell reads it.
func (c Command) line(agent, event string) string {
	words := c.words(agent, event)
	for i, w := range words {
		words[i] = quoteWord(w)
	}
	return strings.Join(words, " ")
}

var plainWord = lazyregexp.New(`^[A-Za-z0-9_@%+=:,./\\-]+$`)

// quoteWord quotes w so that a shell reads it as one word.
func quoteWord(w string) string {
	if plainWord().MatchString(w) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// ourLine matches the command lines of this package in every version, also if the program's name
// contains the version, such as mcpproxy-1.2.
var ourLine = lazyregexp.New(
	`(?:^|[/\\' "])mcpproxy(?:-hook[-\w.]*['"]?|[-\w.]*['"]? +hook +evaluate)(?: .*)? --event `,
)

// ours reports whether this package has written a command line.
func ours(line string) bool { return ourLine().MatchString(line) }

// program returns the path of the program in one of our command lines.
func program(line string) string {
	if rest, ok := strings.CutPrefix(line, "'"); ok {
		path, _, _ := strings.Cut(strings.ReplaceAll(rest, `'\''`, "\x00"), "'")
		return strings.ReplaceAll(path, "\x00", "'")
	}
	path, _, _ := strings.Cut(line, " ")
	return path
}

// checkTime limits the test run of the hook.
const checkTime = 10 * time.Second

// Check runs the hook without a daemon, as an agent would. The hook must print nothing and succeed,
// so that the agent continues.
func (c Command) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	c.Socket = ""
	words := c.words(agent.ClaudeCode, "SessionStart")
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin = strings.NewReader(`{"hook_event_name": "SessionStart"}`)
	cmd.Env = append(os.Environ(), "MCPPROXY_SOCKET="+filepath.Join(os.TempDir(), "no-such-folder", "mcpproxy.sock"))
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s cannot be run: %w", c.Path, err)
	}
	if len(strings.TrimSpace(string(out))) > 0 {
		return fmt.Errorf("%s is not the hook of mcpproxy: without a daemon it must print nothing, but it printed %.40q", c.Path, out)
	}
	return nil
}
