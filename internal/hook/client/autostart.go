package client

import (
	"errors"
	"os"
	"strings"
	"time"
)

// Files next to the daemon's socket that say whether a hook may start the daemon.
const (
	// StartFile exists while autostart is true. Its first line is the PATH for the daemon. Each
	// further line is a word of the command line that starts the daemon.
	StartFile = "AUTOSTART"
	// StoppedFile exists after the user has stopped the daemon. Hooks then do not start it.
	StoppedFile = "STOPPED"
)

// startPatience is how long a hook waits for a daemon that it has started.
const startPatience = 10 * time.Second

// maxStart is the maximum size of the start file, in bytes.
const maxStart = 16 << 10

// StartCommand returns the command line that starts the daemon of a socket, and the PATH for it. ok
// is false if the hook may not start the daemon.
//
// The file chooses a program to run. It is therefore ignored unless only the user can write the
// file and its folder.
func StartCommand(socket string) (words []string, path string, ok bool) {
	if _, err := os.Lstat(beside(socket, StoppedFile)); err == nil {
		return nil, "", false
	}
	file := beside(socket, StartFile)
	if !private(beside(socket, "."), true) || !private(file, false) {
		return nil, "", false
	}
	raw, err := os.ReadFile(file)
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	if err != nil || len(raw) > maxStart || len(lines) < 2 || !strings.HasPrefix(lines[1], "/") {
		return nil, "", false
	}
	return lines[1:], lines[0], true
}

// StartText returns the content of a [StartFile].
func StartText(words []string, path string) (string, error) {
	lines := append([]string{path}, words...)
	for _, l := range lines {
		if strings.ContainsAny(l, "\n\x00") {
			return "", errors.New("a path with a line break cannot be written to the start file")
		}
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// autostart starts the daemon if the user has enabled it, and returns when the daemon answers or
// patience ends. It reports whether it has started the daemon.
func (p *patience) autostart(socket string) bool {
	words, path, ok := StartCommand(socket)
	if !ok {
		return false
	}
	start := time.Now()
	defer func() { p.waited += time.Since(start) }()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer null.Close()
	process, err := os.StartProcess(words[0], words, &os.ProcAttr{
		Dir:   "/",
		Env:   withPath(os.Environ(), path),
		Files: []*os.File{null, null, null},
	})
	if err != nil {
		return false
	}
	ended := make(chan struct{})
	go func() {
		_, _ = process.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(min(startPatience, waits-p.waited)):
	}
	return true
}

// withPath returns an environment with another PATH.
func withPath(env []string, path string) []string {
	out := []string{"PATH=" + path}
	for _, e := range env {
		if !strings.HasPrefix(e, "PATH=") {
			out = append(out, e)
		}
	}
	return out
}
