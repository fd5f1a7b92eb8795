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

// Argument is the first argument of a worker process.
const Argument = "--code-mode-worker"

// Options are the limits that a worker sets itself. Its host enforces its own limits.
type Options struct {
	HeapMB   int // memory of the script
	CPUSecs  int // processor time of the process
	Parallel int // concurrent calls of forge.parallel
	MaxCode  int // bytes of a script
	MaxFrame int // bytes of an answer
	MaxOpen  int // open calls
	MaxBytes int // bytes of the open calls' arguments
}

// Args returns the arguments that start a worker with o.
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

// spare is the memory that a worker needs in addition to its script, in bytes.
const spare = 192 << 20

// Main returns the worker's main function. It reports whether args are the arguments of a worker; if so,
// it has run the worker, and code is the exit code.
func Main(args []string) (code int, ok bool) {
	if len(args) == 0 || args[0] != Argument {
		return 0, false
	}
	o, err := parseOptions(args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcpproxy:", err)
		return 1, true
	}
	runtime.GOMAXPROCS(2) // at the start; the runtime then stops checking for processors
	host := syscall.Getppid()
	debug.SetGCPercent(-1) // most workers end before a collection is worthwhile
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

// stretch grows the stack to the size that an engine translated from C needs. Growing it by
// repeated doubling and copying takes 1 ms of a worker's 20.
//
//go:noinline
func stretch() byte {
	var space [200 << 10]byte
	return space[len(os.Args)]
}

// tidy is the size of Go's own memory, without scripts, at which a worker collects garbage, in
// bytes.
const tidy = 64 << 20

// serve runs the script that arrives on in. It calls begun when the script has arrived.
func serve(o Options, layers []byte, in io.Reader, out io.Writer, begun func()) int {
	r, w := frame.NewReader(in, max(o.MaxFrame, o.MaxCode)), frame.NewWriter(out)
	send := func(f frame.Frame) {
		if w.Write(f) != nil {
			os.Exit(1) // the host has ended
		}
	}
	warmed := make(chan struct{})
	go func() { // in parallel with the rest of the preparation
		defer close(warmed)
		warmUp(o)
	}()
	m, err := newMachine(o, send)
	<-warmed
	runtime.GOMAXPROCS(1) // only the watcher of the host runs besides the script
	if err != nil {
		send(
			frame.Frame{
				Kind: frame.Thrown,
				Body: []byte(`{"code":"INTERNAL","message":"the sandbox could not be created"}`),
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
		debug.FreeOSMemory() // the check's memory becomes available to the script
	}
	m.run(text, func() frame.Frame {
		f, err := r.Read()
		if err != nil || f.Kind != frame.Value && f.Kind != frame.Fault {
			os.Exit(1) // the host has ended
		}
		return f
	})
	return 0
}

// small is the size of a script whose check leaves little garbage, in bytes.
const small = 8 << 10

// warmUp checks a dummy script before the real one arrives. This initializes the checker and
// loads its code into memory.
func warmUp(o Options) {
	_, _ = validate.Check(
		`async () => { const a: number = 1; return await forge.callTool("a", "b", { a }) }`,
		o.MaxCode,
	)
}
