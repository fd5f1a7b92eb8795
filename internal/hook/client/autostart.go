package client

import (
	"errors"
	"os"
	"strings"
	"time"
)

// Files beside the daemon's socket that say whether a hook may start the daemon.
const (
	// StartFile is there while autostart is true. Its first line is the PATH to start
	// with, and each further one a word of the command line that starts the daemon.
	StartFile = "AUTOSTART"
	// StoppedFile is there after the user has stopped the daemon: it stays stopped until
	// the user starts it.
	StoppedFile = "STOPPED"
)

// startPatience is how long a hook waits for a daemon that it has started.
const startPatience = 10 * time.Second

// maxStart bounds the size of the file, in bytes.
const maxStart = 16 << 10

// StartCommand returns the command line that starts the daemon of a socket, and the PATH
// to start it with. It is not ok if nothing may start the daemon.
//
// Other programs that write the file would choose what runs, so it counts only where the
// user alone can write it and its folder.
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

// StartText is the content of a [StartFile].
func StartText(words []string, path string) (string, error) {
	lines := append([]string{path}, words...)
	for _, l := range lines {
		if strings.ContainsAny(l, "\n\x00") {
			return "", errors.New("a path with a line break cannot be written down")
		}
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// autostart starts the daemon, if the user has said so, and returns when it answers or
// when patience has ended. It reports whether it has started anything.
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
