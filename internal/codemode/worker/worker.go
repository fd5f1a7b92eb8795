package worker

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"

	"mcpproxy"
	"mcpproxy/internal/codemode/frame"
	"mcpproxy/internal/codemode/validate"
)

// Argument is the first argument of a process that is to be a worker.
const Argument = "--code-mode-worker"

// Options are the limits that a worker sets itself. Its host holds it to others.
type Options struct {
	HeapMB   int // of the script
	CPUSecs  int // of the process
	Parallel int // calls that forge.parallel makes at once
	MaxCode  int // bytes of a script
	MaxFrame int // bytes of an answer
}

// Args are the arguments that start a worker with o.
func (o Options) Args() []string {
	out := []string{Argument}
	for _, n := range []int{o.HeapMB, o.CPUSecs, o.Parallel, o.MaxCode, o.MaxFrame} {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

func parseOptions(args []string) (o Options, err error) {
	into := []*int{&o.HeapMB, &o.CPUSecs, &o.Parallel, &o.MaxCode, &o.MaxFrame}
	if len(args) != len(into) {
		return o, errors.New("a worker is started by mcpproxy itself")
	}
	for i, s := range args {
		if *into[i], err = strconv.Atoi(s); err != nil {
			return o, err
		}
	}
	return o, nil
}

// spare is how much memory a worker needs beside its script, in bytes.
const spare = 192 << 20

// Main is the worker's main. It reports whether args, those of the process, ask
// for a worker; then it has run, and code is the exit code.
func Main(args []string) (code int, ok bool) {
	if len(args) == 0 || args[0] != Argument {
		return 0, false
	}
	o, err := parseOptions(args[1:])
	if err != nil {
		os.Stderr.WriteString("mcpproxy: " + err.Error() + "\n")
		return 1, true
	}
	runtime.GOMAXPROCS(2) // one for the script, one for its pipe; and the runtime looks no more for what it may have
	runtime.LockOSThread()
	layers, err := json.Marshal(confine(o))
	if err != nil {
		return 1, true
	}
	return serve(o, layers, pipe(0), pipe(1)), true
}

// pipe is one end of a pipe, read and written by plain system calls: the
// runtime's poller needs more of the kernel than a worker has.
type pipe int

func (p pipe) Read(b []byte) (int, error) {
	for {
		n, err := syscall.Read(int(p), b)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (p pipe) Write(b []byte) (n int, err error) {
	for n < len(b) {
		m, err := syscall.Write(int(p), b[n:])
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return n, err
		}
		n += max(0, m)
	}
	return n, nil
}

// serve runs the one script that comes over in.
func serve(o Options, layers []byte, in io.Reader, out io.Writer) int {
	r, w := frame.NewReader(in, max(o.MaxFrame, o.MaxCode)), frame.NewWriter(out)
	send := func(f frame.Frame) {
		if w.Write(f) != nil {
			os.Exit(1) // the host is gone
		}
	}
	m, err := newMachine(o, send)
	if err != nil {
		send(frame.Frame{Kind: frame.Thrown, Body: []byte(`{"code":"INTERNAL","message":"the sandbox could not be made"}`)})
		return 1
	}
	send(frame.Frame{Kind: frame.Ready, Body: layers})
	script, err := r.Read()
	if err != nil || script.Kind != frame.Run {
		return 1
	}
	answers := make(chan frame.Frame)
	go func() { // it ends the process when the host goes away, whatever the script does
		for {
			f, err := r.Read()
			if err != nil || f.Kind != frame.Value && f.Kind != frame.Fault {
				os.Exit(1)
			}
			answers <- f
		}
	}()
	text, err := validate.Check(string(script.Body), o.MaxCode)
	if err != nil {
		m.fail(Failure{Code: mcpproxy.CodeMalformed, Message: err.Error(), SuggestedFix: "change the script as the message says"})
		return 0
	}
	debug.FreeOSMemory() // what the check took is the script's now
	m.run(text, answers)
	return 0
}
