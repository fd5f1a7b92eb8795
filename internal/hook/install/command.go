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

// Command is how the hook is called, before its flags.
type Command struct {
	Path   string   // absolute
	Args   []string // "hook", "evaluate" when the program is mcpproxy itself
	Socket string   // of the daemon; "" for the usual place
}

// Find is the hook's program: mcpproxy-hook beside the running mcpproxy, else
// mcpproxy itself. argv0 is what mcpproxy was called as; the name by which it was
// found outlives an update better than the file behind it.
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
		return Command{}, errors.New("the path of mcpproxy cannot be found out")
	}
	return Command{Path: self[0], Args: []string{"hook", "evaluate"}}, nil
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || filepath.Ext(path) == ".exe")
}

// prefix is the program and what is the same for every event.
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

// line is the command as a shell reads it.
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

// ourLine is a command line of ours, of whatever version, also where the program has the
// version in its name, such as mcpproxy-1.2.
var ourLine = lazyregexp.New(
	`(?:^|[/\\' "])mcpproxy(?:-hook[-\w.]*['"]?|[-\w.]*['"]? +hook +evaluate)(?: .*)? --event `,
)

// ours reports whether a command line is one that this package has written.
func ours(line string) bool { return ourLine().MatchString(line) }

// program is the path of the program in one of our command lines.
func program(line string) string {
	if rest, ok := strings.CutPrefix(line, "'"); ok {
		path, _, _ := strings.Cut(strings.ReplaceAll(rest, `'\''`, "\x00"), "'")
		return strings.ReplaceAll(path, "\x00", "'")
	}
	path, _, _ := strings.Cut(line, " ")
	return path
}

// checkTime bounds the test run of the hook.
const checkTime = 10 * time.Second

// Check runs the hook as an agent would, without a daemon: it must end in
// silence, since that lets the agent go on.
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
		return fmt.Errorf("%s is not the hook: it answered %.40q without a daemon", c.Path, out)
	}
	return nil
}
