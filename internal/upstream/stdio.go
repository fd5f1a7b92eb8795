package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"mcpproxy/internal/child"
	"mcpproxy/internal/program"
	"mcpproxy/internal/wire"
)

const (
	stopGrace    = 2 * time.Second        // between SIGTERM and SIGKILL
	endGrace     = 500 * time.Millisecond // between closing stdin and SIGTERM
	stdioBacklog = 64                     // messages waiting for a server that does not read
)

// stdio is a server in a child process.
type stdio struct {
	cmd      *exec.Cmd
	family   *child.Family
	endpoint *proxyEndpoint // nil if its network access does not use the proxy
	stdin    *stdinWriter
	stdout   *turnReader   // reads its standard output
	exited   chan struct{} // closed when the process has ended
	exit     error         // how it ended; valid then
	killed   chan struct{} // closed after that and after the link was closed: all its descendants are dead
	link     *Link
}

// startStdio starts the process in its own session, with a clean environment: [child.Environment]
// and the variables of the spec.
func startStdio(l *Link, spec Spec, stderr io.Writer) error {
	cmd, path, err := command(l.server, spec)
	if err != nil {
		return err
	}
	cmd.Dir = spec.Dir
	cmd.Env = environment(spec.Env)
	cmd.Stderr = stderr
	cmd.WaitDelay = stopGrace
	// Own pipes, so that output written before the end can still be read.
	r, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	out, w, err := os.Pipe()
	if err != nil {
		in.Close()
		return err
	}
	defer w.Close()
	cmd.Stdin, cmd.Stdout = r, w
	t := &stdio{
		cmd:    cmd,
		exited: make(chan struct{}),
		killed: make(chan struct{}),
		link:   l,
	}
	t.stdin, err = newStdinWriter(in)
	l.program = program.Open(program.Command{
		Name: spec.Command,
		Path: path,
		Args: spec.Args,
		Env:  cmd.Env,
		Dir:  spec.Dir,
	})
	if err == nil {
		t.family, t.endpoint, err = l.server.begin(cmd)
	}
	if err != nil {
		l.program.Close()
		in.Close()
		out.Close()
		return fmt.Errorf("starting %s: %w", spec.Command, err)
	}
	interruptible := withDeadline(out)
	lines := wire.NewLineReader(l.pace(interruptible), l.server.sizes.frame())
	t.stdout = newTurnReader(func() (bool, error) { return t.readMessage(lines) }, interruptible.SetReadDeadline)
	l.transport = t
	go t.write()
	go t.read()
	go t.wait(interruptible)
	return nil
}

// command returns the command that starts the server: its program by the absolute path, or the
// launcher that confines it. It also returns the absolute path of the program.
func command(s *Server, spec Spec) (*exec.Cmd, string, error) {
	program, err := resolve(spec)
	if err != nil {
		return nil, "", err
	}
	confined := spec.Isolation.confinement()
	s.mu.Lock()
	s.status.Program, s.status.Isolation = program, confined
	s.mu.Unlock()
	if confined == nil {
		return &exec.Cmd{Path: program, Args: append([]string{spec.Command}, spec.Args...)}, program, nil
	}
	if spec.Isolation.Required && len(confined.Missing) > 0 {
		return nil, "", confined.refusal()
	}
	spec.Isolation.prepare()
	path, args, err := spec.Isolation.launcher(spec, program, s.pins)
	if err != nil {
		return nil, "", fmt.Errorf("confining %s: %w", spec.Name, err)
	}
	return &exec.Cmd{Path: path, Args: args}, program, nil
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

// send sends a message. For a request, it waits for the answer for a short time.
func (t *stdio) send(ctx context.Context, msg *wire.Message, from *call) error {
	// A newline inside the message would end its frame. In JSON it can only occur between tokens.
	line := bytes.ReplaceAll(bytes.ReplaceAll(msg.Raw, []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
	if err := t.stdin.send(ctx, append(line, '\n'), t.exited); err != nil {
		return err
	}
	if from != nil && !from.stays {
		t.stdout.await(ctx, from)
	}
	return nil
}

func (t *stdio) write() {
	if err := t.stdin.drain(t.exited); err != nil {
		t.link.fail(err)
	}
}

// readMessage reads one message and delivers it.
func (t *stdio) readMessage(lines *wire.LineReader) (answered bool, err error) {
	line, err := lines.Next()
	switch {
	case err == nil:
		return t.link.inbound(line, nil, 0), nil
	case t.link.oversized(err, nil):
		return false, nil
	}
	return false, err
}

// read reads the server's output to its end and then fails the link.
func (t *stdio) read() {
	err := t.stdout.run()
	select {
	case <-t.exited:
		err = t.exit
	case <-time.After(stopGrace / 4): // it closed its output but is still running
	}
	reason := ErrBroken
	if err != nil && !errors.Is(err, io.EOF) {
		reason = fmt.Errorf("%w: %w", ErrBroken, err)
	}
	t.link.fail(reason)
}

// wait detects the end of the process. Child processes may keep its output open; wait gives them a
// moment.
func (t *stdio) wait(stdout io.Closer) {
	t.exit = child.Wait(t.cmd)
	t.family.Kill() // child processes may outlive their server
	t.endpoint.end()
	t.stdin.pipe.Close()
	close(t.exited)
	time.AfterFunc(stopGrace/2, func() { stdout.Close() })
}

func (t *stdio) gone() <-chan struct{} { return t.killed }

func (t *stdio) speak(wire.Era, string) {}

func (t *stdio) ready() {}

func (t *stdio) listening() <-chan struct{} { return atOnce }

func (t *stdio) associates() bool { return false }

func (t *stdio) hangsUp() bool { return false }

// close asks the process to end and kills it if it does not.
func (t *stdio) close() {
	t.stdout.interrupt() // callers that wait for an answer get an error
	go func() {
		defer close(t.killed)
		t.family.Look() // while the processes still have their parents
		t.stdin.pipe.Close()
		wait := endGrace
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			select {
			case <-t.exited:
			case <-time.After(wait):
				child.Signal(t.cmd.Process.Pid, sig)
				wait = stopGrace
			}
		}
		<-t.exited
	}()
}
