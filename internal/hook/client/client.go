package client

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"
)

const (
	// Deadline is the time for an answer from a daemon that does not report that it is working, for
	// a payload of up to freeBytes.
	Deadline = 90 * time.Millisecond
	// Work is the additional time after each report of the daemon that it is working, for example
	// on many calls at once. An agent must not get a call through by making a hundred others.
	Work = 2 * time.Second
	// Busy is the additional time for a daemon whose process is seen to run or to wait for a
	// processor.
	Busy = 15 * time.Second
	// MaxPayload is the length of the largest payload that can be judged, in bytes. Of a longer
	// payload, one more byte is sent, so that the daemon decides about it.
	MaxPayload = 16 << 20

	// firstRoom is the initial buffer size for a payload.
	firstRoom = 16 << 10

	// Reading takes time in proportion to the length. With a fixed deadline, a long payload would
	// always pass unread.
	freeBytes    = 64 << 10
	bytesPerMore = 4 << 10 // payload bytes that add one millisecond

	// inputPatience is how long the agent may take to write its payload.
	inputPatience = 5 * time.Second

	// waits is the maximum total wait for a daemon.
	waits = Deadline + (MaxPayload-freeBytes)/bytesPerMore*time.Millisecond + Work + Busy
	// Longest is the maximum run time of a hook, from its start to its answer. An agent with a
	// shorter timeout continues without an answer.
	Longest = inputPatience + waits
)

// Options are the options of a hook's command line.
type Options struct {
	Socket  string // path of the daemon's socket
	Agent   string // name of the agent's dialect; if "", the daemon detects it
	Event   string // the agent's name of the event; "" if the payload contains it
	Verbose bool   // explain on standard error why there is no output
	Help    bool   // print the usage and exit

	Deadline time.Duration // for the daemon's answer to small payloads; 0 is [Deadline]
}

// Usage is the usage text of the command.
const Usage = `Reads the payload of an agent's hook from standard input, has the running mcpproxy
evaluate it, and answers in the form that the agent expects. If mcpproxy is not running,
the command starts it where autostart is true. Otherwise it answers nothing and records
the call for the next start; while the kill switch is on, or if security.hooks.fail_open
is false, it denies every call instead.

  --agent NAME    the agent's name, such as claude-code (detected when absent)
  --event NAME    the event's name, such as PreToolUse (from the payload when absent)
  --socket PATH   the daemon's socket (MCPPROXY_SOCKET, else ~/.mcpproxy/mcpproxy.sock)
  --verbose       say on standard error why nothing was said
`

// Parse reads a command line. It skips unknown arguments and returns them in unknown: a hook must
// not stop an agent because the hook and its settings have different versions.
func Parse(args []string, env func(string) string) (o Options, unknown []string) {
	o.Socket = env("MCPPROXY_SOCKET")
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		name = strings.TrimPrefix(name, "-")
		into := map[string]*string{"-agent": &o.Agent, "-event": &o.Event, "-socket": &o.Socket}[name]
		switch {
		case into != nil && given:
			*into = value
		case into != nil && i+1 < len(args):
			i++
			*into = args[i]
		case name == "-verbose":
			o.Verbose = value != "false"
		case name == "-help" || args[i] == "-h":
			o.Help = true
		default:
			unknown = append(unknown, args[i])
		}
	}
	if o.Socket == "" {
		o.Socket = env("HOME") + "/.mcpproxy/mcpproxy.sock"
	}
	return o, unknown
}

// Main returns the whole run of a hook. It takes the command line without the program's name and returns
// the exit code.
func Main(args []string) int {
	o, unknown := Parse(args, os.Getenv)
	if o.Help {
		_, _ = io.WriteString(os.Stdout, Usage)
		return 0
	}
	if o.Verbose && len(unknown) > 0 {
		complain(os.Stderr, errors.New("ignored unknown arguments: "+strings.Join(unknown, " ")))
	}
	return Run(o, os.Stdin, os.Stdout, os.Stderr)
}

// Run sends the payload on stdin to the daemon, prints the answer and returns the exit code.
func Run(o Options, stdin io.Reader, stdout, stderr io.Writer) int {
	a, err := ask(o, stdin)
	if err == nil {
		_, err = io.WriteString(stdout, a.Stdout)
	}
	switch {
	case err != nil && Stoppable(o.Event) && killed(o.Socket):
		complain(stderr, errKilled)
		return denied
	case errors.Is(err, errAtWork) && Stoppable(o.Event):
		complain(stderr, errAtWork)
		return denied
	case err != nil && Stoppable(o.Event) && failsClosed(o.Socket):
		complain(stderr, errClosed)
		return denied
	case err != nil:
		if Stoppable(o.Event) {
			noteUnseen(o.Socket, o.Agent, time.Now())
		}
		if o.Verbose {
			complain(stderr, err)
		}
		return 0
	}
	if a.Stderr != "" {
		_, _ = io.WriteString(stderr, a.Stderr)
	}
	return a.Exit
}

// errAtWork is the reason for a denied call if the daemon is working but does not answer in the
// time that an agent waits. Otherwise an agent could get a call through by keeping the daemon busy.
var errAtWork = errors.New("mcpproxy is busy and did not evaluate this call in time, so it denies the call. " +
	"Try again with a smaller call. If this happens again, the user can run this in a terminal of their own: mcpproxy status")

// complain says on one line what went wrong.
func complain(w io.Writer, err error) {
	_, _ = io.WriteString(w, "mcpproxy-hook: "+strings.ReplaceAll(err.Error(), "\n", " ")+"\n")
}

// ask reads the payload and gets its answer. It connects to the daemon while it reads, because both
// take equally long and neither depends on the other.
func ask(o Options, stdin io.Reader) (output, error) {
	deadline := o.Deadline
	if deadline == 0 {
		deadline = Deadline
	}
	p := &patience{left: deadline, daemon: daemon{pidFile: o.Socket + PIDSuffix}}
	in := reading(stdin)
	refused := p.dial(o.Socket)
	payload, err := in.wait()
	p.left += allowance(len(payload) - headroom)
	if refused != nil && err == nil { // the daemon has more time now
		refused = p.dial(o.Socket)
	}
	if refused != nil && err == nil && p.autostart(o.Socket) {
		refused = p.dial(o.Socket)
	}
	if p.conn != nil {
		defer p.conn.Close()
	}
	switch {
	case err != nil:
		return output{}, err
	case refused != nil:
		return output{}, errors.New("mcpproxy does not answer (start it with `mcpproxy serve`): " + refused.Error())
	}
	a, err := exchange(p, o, payload)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = p.late()
	}
	return a, err
}

// allowance returns the time for a payload in addition to [Deadline].
func allowance(n int) time.Duration {
	return time.Duration((min(max(n, freeBytes), MaxPayload)-freeBytes)/bytesPerMore) * time.Millisecond
}

// input is a payload that is being read.
type input struct {
	done    chan struct{}
	late    <-chan time.Time // fires when the agent's time to write is over
	payload []byte
	err     error
}

// reading starts to read stdin, which may be a pipe that nobody ever closes. Of a payload longer
// than MaxPayload it keeps one more byte than that.
func reading(stdin io.Reader) *input {
	in := &input{done: make(chan struct{}), late: time.After(inputPatience)}
	go func() {
		in.payload, in.err = readAll(io.LimitReader(stdin, MaxPayload+1))
		close(in.done)
		_, _ = io.Copy(io.Discard, stdin) // an agent that cannot write everything may not read the answer
	}()
	return in
}

// wait returns the payload, after [headroom] bytes, once it has been read.
func (in *input) wait() ([]byte, error) {
	select {
	case <-in.done:
		return in.payload, in.err
	case <-in.late:
		return nil, errors.New("the agent did not end its payload within " + inputPatience.String())
	}
}

// headroom is the space before a payload for the head of the request, in bytes.
const headroom = 1 << 10

// readAll is io.ReadAll for long inputs: it grows its buffer in large steps and leaves headroom.
func readAll(r io.Reader) ([]byte, error) {
	b := make([]byte, headroom, firstRoom)
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		if len(b) == cap(b) {
			b = append(make([]byte, 0, 16*cap(b)), b...)
		}
	}
}
