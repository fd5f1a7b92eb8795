package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"mcpproxy/internal/eventually"
)

// shownText is the text that a terminal has shown.
type shownText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shownText) add(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Write(p)
}

func (s *shownText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// typed KEY QUESTION PROGRAM ARGS… runs a program on a terminal and presses a key (C-c or C-d) when the question is
// shown. The program must exit with 1 and restore the terminal's echo.
func typed(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	keys := map[string]string{"C-c": "\x03", "C-d": "\x04"}
	master, name, err := pseudoTerminal()
	ts.Check(err)
	defer master.Close()
	slave, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0)
	ts.Check(err)
	defer slave.Close()
	ts.Check(unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100}))
	path, err := lookIn(ts.Getenv("PATH"), args[2])
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Stdin = slave
	cmd.Stdout = slave
	cmd.Stderr = slave
	for _, v := range []string{"HOME", "PATH", "MCPPROXY_CONFIG", "WORK"} {
		cmd.Env = append(cmd.Env, v+"="+ts.Getenv(v))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	ts.Check(cmd.Start())
	shown := &shownText{}
	go func() {
		for b := make([]byte, 1024); ; {
			n, err := master.Read(b)
			if shown.add(b[:n]); err != nil {
				return
			}
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if !eventually.Within(patience, func() bool { return strings.Contains(shown.String(), args[1]) }) {
		_ = cmd.Process.Kill()
		ts.Fatalf("%q was not asked:\n%s", args[1], shown)
	}
	time.Sleep(100 * time.Millisecond) // until it reads
	_, err = master.WriteString(keys[args[0]])
	ts.Check(err)
	select {
	case <-ended:
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		ts.Fatalf("%s does not end it:\n%s", args[0], shown)
	}
	mode, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	ts.Check(err)
	if code := cmd.ProcessState.ExitCode(); code != 1 || mode.Lflag&unix.ECHO == 0 {
		ts.Fatalf("exit code %d, echo %t:\n%s", code, mode.Lflag&unix.ECHO != 0, shown)
	}
}

// pseudoTerminal returns a new terminal and the path of its other end.
func pseudoTerminal() (master *os.File, name string, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, "", err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		master.Close()
		return nil, "", fmt.Errorf("a terminal: %w", err)
	}
	return master, "/dev/pts/" + strconv.Itoa(n), nil
}

// lookIn searches for a program in the folders of a PATH.
func lookIn(path, program string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if found, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return found, nil
		}
	}
	return "", exec.ErrNotFound
}
