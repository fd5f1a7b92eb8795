package raw

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"mcpproxy/internal/child"
	"mcpproxy/internal/wire"
)

// How long a child may take to end, after its input was closed and after it was asked to stop.
const (
	endGrace  = 500 * time.Millisecond
	stopGrace = 2 * time.Second
)

// process is a server in a child process.
type process struct {
	conn   *Conn
	cmd    *exec.Cmd
	family *child.Family
	in     io.WriteCloser
	turn   chan struct{} // lock for writing; a blocked write keeps it
	exited chan struct{}
	stderr tail
}

// start starts the server, in a session of its own and with a clean
// environment.
func (c *Conn) start() error {
	t := c.target
	p := &process{conn: c, exited: make(chan struct{}), turn: make(chan struct{}, 1)}
	p.cmd = exec.Command(t.Command, t.Args...)
	p.cmd.Dir, p.cmd.Env = t.Dir, environment(t.Env)
	p.cmd.Stderr, p.cmd.WaitDelay = &p.stderr, stopGrace
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.cmd.Stdout, p.in = w, in
	p.family, err = child.Start(p.cmd)
	w.Close()
	if err != nil {
		out.Close()
		return fmt.Errorf("starting %s: %w", t.Command, err)
	}
	c.pipe = p
	go p.read(out)
	go func() {
		_ = child.Wait(p.cmd) // the state contains how it ended
		close(p.exited)
		time.AfterFunc(stopGrace/2, func() { out.Close() }) // other processes may keep it open
	}()
	return nil
}

func environment(named map[string]string) []string {
	var env []string
	for _, name := range child.Environment {
		if v, ok := os.LookupEnv(name); ok && named[name] == "" {
			env = append(env, name+"="+v)
		}
	}
	for name, v := range named {
		env = append(env, name+"="+v)
	}
	slices.Sort(env)
	return env
}

func (p *process) read(out io.Reader) {
	lines := wire.NewLineReader(out, maxMessage)
	for {
		line, err := lines.Next()
		if err == nil && p.conn.Broken() != nil {
			return // an unread pipe fills up and blocks the program
		}
		if err == nil {
			p.conn.receive(bytes.Clone(line))
		} else if !p.conn.oversized(err) {
			break
		}
	}
	var reason error
	select {
	case <-p.exited:
		reason = fmt.Errorf("%w: the program ended with %s%s", ErrBroken, p.cmd.ProcessState, p.stderr.said())
	case <-time.After(endGrace):
		reason = fmt.Errorf("%w: the program closed its output", ErrBroken)
	}
	p.conn.fail(reason)
}

func (p *process) send(ctx context.Context, frame []byte, _ http.Header) (Answer, error) {
	select {
	case p.turn <- struct{}{}:
	case <-p.conn.broken:
		return Answer{}, p.conn.Broken()
	case <-ctx.Done():
		return Answer{}, ErrTimeout
	}
	done := make(chan error, 1)
	go func() {
		_, err := p.in.Write(append(bytes.Clone(frame), '\n'))
		<-p.turn
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			return Answer{}, nil
		}
		select { // the reader's error is more useful
		case <-p.conn.broken:
			return Answer{}, p.conn.Broken()
		case <-time.After(stopGrace):
			return Answer{}, fmt.Errorf("%w: %w", ErrBroken, err)
		}
	case <-p.conn.broken:
		return Answer{}, p.conn.Broken()
	case <-ctx.Done():
		return Answer{}, ErrTimeout
	}
}

func (p *process) exchanges() bool { return false }

// close asks the program to end, kills it if necessary, and waits for it.
func (p *process) close() {
	p.family.Look() // while the processes still have their parents
	p.in.Close()
	wait := endGrace
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-p.exited:
		case <-time.After(wait):
			child.Signal(p.cmd.Process.Pid, sig)
			wait = stopGrace
		}
	}
	<-p.exited
	p.family.Kill() // child processes may outlive their server
}

// tail keeps the end of a program's standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is the number of bytes that are kept.
const maxTail = 2048

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if len(t.text) > maxTail {
		t.text = bytes.Clone(t.text[len(t.text)-maxTail:])
	}
	return len(b), nil
}

// said returns its last line, for an error.
func (t *tail) said() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return fmt.Sprintf(" (last line of its standard error: %.200q)", last)
	}
	return ""
}
