package worker

import (
	"encoding/json"
	"errors"
	"fmt"
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
	MaxOpen  int // calls that wait for an answer at once
	MaxBytes int // bytes of all that they say
}

// Args are the arguments that start a worker with o.
func (o Options) Args() []string {
	out := []string{Argument}
	for _, n := range []int{o.HeapMB, o.CPUSecs, o.Parallel, o.MaxCode, o.MaxFrame, o.MaxOpen, o.MaxBytes} {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

func parseOptions(args []string) (o Options, err error) {
	into := []*int{&o.HeapMB, &o.CPUSecs, &o.Parallel, &o.MaxCode, &o.MaxFrame, &o.MaxOpen, &o.MaxBytes}
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
		fmt.Fprintln(os.Stderr, "mcpproxy:", err)
		return 1, true
	}
	runtime.GOMAXPROCS(2) // to begin with, and the runtime looks no more for what it may have
	host := syscall.Getppid()
	debug.SetGCPercent(-1) // most workers are gone before there is anything to clear away
	debug.SetMemoryLimit(tidy)
	layers, err := json.Marshal(confine(o))
	if err != nil {
		return 1, true
	}
	stretch()
	in, out := &pipe{fd: 0}, &pipe{fd: 1}
	return serve(o, layers, in, out, func() {
		in.steady, out.steady = true, true
		go watch(host)
	}), true
}

// stretch makes the stack as large as an engine translated from C needs it. To get
// there by doubling it again and again, with all that is on it, takes 1 ms of the 20
// that a worker takes altogether.
//
//go:noinline
func stretch() byte {
	var space [200 << 10]byte
	return space[len(os.Args)]
}

// tidy is how much memory of Go's own, that of scripts left out, a worker takes
// before it clears away, in bytes.
const tidy = 64 << 20

// serve runs the one script that comes over in. It calls begun when the script has
// come.
func serve(o Options, layers []byte, in io.Reader, out io.Writer, begun func()) int {
	r, w := frame.NewReader(in, max(o.MaxFrame, o.MaxCode)), frame.NewWriter(out)
	send := func(f frame.Frame) {
		if w.Write(f) != nil {
			os.Exit(1) // the host is gone
		}
	}
	rehearsed := make(chan struct{})
	go func() { // beside the other half of what there is to do
		defer close(rehearsed)
		rehearse(o)
	}()
	m, err := newMachine(o, send)
	<-rehearsed
	runtime.GOMAXPROCS(1) // nothing runs beside the script but what sees after the host, now and then
	if err != nil {
		send(
			frame.Frame{
				Kind: frame.Thrown,
				Body: []byte(`{"code":"INTERNAL","message":"the sandbox could not be made"}`),
			},
		)
		return 1
	}
	send(frame.Frame{Kind: frame.Ready, Body: layers})
	script, err := r.Read()
	if err != nil || script.Kind != frame.Run {
		return 1
	}
	begun()
	text, err := validate.Check(string(script.Body), o.MaxCode)
	if err != nil {
		m.fail(
			Failure{
				Code:         mcpproxy.CodeMalformed,
				Message:      err.Error(),
				SuggestedFix: "change the script as the message says",
			},
		)
		return 0
	}
	if len(text) > small {
		debug.FreeOSMemory() // what the check took is the script's now
	}
	m.run(text, func() frame.Frame {
		f, err := r.Read()
		if err != nil || f.Kind != frame.Value && f.Kind != frame.Fault {
			os.Exit(1) // the host is gone
		}
		return f
	})
	return 0
}

// small is how long a script is at most whose check leaves little, in bytes.
const small = 8 << 10

// rehearse checks a script that nobody sent, before there is one. What the check
// makes once, and what is only read into memory when it is first run, is there
// when it counts.
func rehearse(o Options) {
	_, _ = validate.Check(
		`async () => { const a: number = 1; return await forge.callTool("a", "b", { a }) }`,
		o.MaxCode,
	)
}
