package codemode_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/codemode"
	"mcpproxy/internal/codemode/frame"
	"mcpproxy/internal/eventually"
)

// lyingEngine is an engine whose workers can send arbitrary frames.
type lyingEngine struct {
	say func(in *frame.Reader, out io.Writer)
}

func (l lyingEngine) Configure(codemode.Limits) {}
func (l lyingEngine) Prepare()                  {}
func (l lyingEngine) Close()                    {}

type lying struct{ net.Conn }

func (l lying) Kill() { l.Close() }
func (lying) Halt()   {}
func (lying) Resume() {}

func (l lyingEngine) Start() (codemode.Worker, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		_, _ = theirs.Write(frame.Append(nil, frame.Frame{Kind: frame.Ready, Body: []byte("[]")}))
		r := frame.NewReader(theirs, 1<<20)
		if f, err := r.Read(); err != nil || f.Kind != frame.Run {
			return
		}
		l.say(r, theirs)
		_, _ = io.Copy(io.Discard, theirs)
	}()
	return lying{ours}, nil
}

func call(id uint64, body string) []byte {
	return frame.Append(nil, frame.Frame{Kind: frame.Call, ID: id, Body: []byte(body)})
}

const echo = `{"op":"tool","server":"notes","tool":"echo","args":{"text":"x"}}`

// A worker that an attacker controls has no more rights than a script.
func TestAWorkerIsNotTrusted(t *testing.T) {
	for name, c := range map[string]struct {
		say     func(in *frame.Reader, out io.Writer)
		code    mcpproxy.Code
		reached int    // maximum number of calls that may reach a server
		value   string // the result
	}{
		"an id twice":            {func(_ *frame.Reader, w io.Writer) { w.Write(call(1, echo)); w.Write(call(1, echo)) }, mcpproxy.CodeInternal, 1, ""},
		"an id that skips":       {func(_ *frame.Reader, w io.Writer) { w.Write(call(7, echo)) }, mcpproxy.CodeInternal, 0, ""},
		"a frame of the host's":  {func(_ *frame.Reader, w io.Writer) { w.Write(frame.Append(nil, frame.Frame{Kind: frame.Value, ID: 1})) }, mcpproxy.CodeInternal, 0, ""},
		"a frame of no kind":     {func(_ *frame.Reader, w io.Writer) { w.Write(frame.Append(nil, frame.Frame{})) }, mcpproxy.CodeInternal, 0, ""},
		"a frame that is larger": {func(_ *frame.Reader, w io.Writer) { w.Write([]byte{60, 0, 0, 0, 'd', 0, 0, 0, 0, 0, 0, 0, 0}) }, mcpproxy.CodeTooLarge, 0, ""},
		"a length that overflows": {func(_ *frame.Reader, w io.Writer) {
			w.Write([]byte{255, 255, 255, 255, 'd', 0, 0, 0, 0, 0, 0, 0, 0})
		}, mcpproxy.CodeTooLarge, 0, ""},
		"a result that is no JSON": {func(_ *frame.Reader, w io.Writer) {
			w.Write(frame.Append(nil, frame.Frame{Kind: frame.Done, Body: []byte("{")}))
		}, mcpproxy.CodeMalformed, 0, ""},
		"a result with a name twice": {func(_ *frame.Reader, w io.Writer) {
			w.Write(frame.Append(nil, frame.Frame{Kind: frame.Done, Body: []byte(`{"a":1,"a":2}`)}))
		}, mcpproxy.CodeMalformed, 0, ""},
		"an error that is none": {func(_ *frame.Reader, w io.Writer) {
			w.Write(frame.Append(nil, frame.Frame{Kind: frame.Thrown, Body: []byte("1")}))
		}, mcpproxy.CodeScript, 0, ""},
		"calls after the result": {func(_ *frame.Reader, w io.Writer) {
			w.Write(frame.Append(nil, frame.Frame{Kind: frame.Done, Body: []byte("1")}))
			w.Write(call(1, echo))
		}, "", 0, "1"},
		"more calls than it may make": {func(r *frame.Reader, w io.Writer) { flood(r, w, 100) }, "", 50, "1"},
		"a server that it made up":    {func(r *frame.Reader, w io.Writer) { ask(r, w, `{"op":"tool","server":"x","tool":"echo","args":{}}`) }, "", 0, `"f"`},
		"a name twice": {func(r *frame.Reader, w io.Writer) {
			ask(r, w, `{"op":"tool","server":"notes","server":"vault","tool":"echo","args":{}}`)
		}, "", 0, `"f"`},
		"an operation that it made up": {func(r *frame.Reader, w io.Writer) { ask(r, w, `{"op":"exec"}`) }, "", 0, `"f"`},
		"more at once than one frame may have": {func(_ *frame.Reader, w io.Writer) {
			big := `{"op":"resource","server":"notes","uri":"note://x","args":"` + strings.Repeat("x", 300<<10) + `"}`
			for id := range uint64(20) {
				w.Write(call(id+1, big))
			}
		}, mcpproxy.CodeTooLarge, 4, ""},
		"half a frame": {func(_ *frame.Reader, w io.Writer) { w.Write(call(1, echo)[:9]); w.(io.Closer).Close() }, mcpproxy.CodeInternal, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(l *codemode.Limits) { l.Frame = 1 << 20 }, lyingEngine{c.say})
			if name == "more at once than one frame may have" {
				r.tool = func(ctx context.Context, _ *mcpproxy.Call) (string, error) {
					<-ctx.Done() // a server that is slow
					return "", ctx.Err()
				}
			}
			got := r.run(`1`)
			code := mcpproxy.Code("")
			if got.Error != nil {
				code = got.Error.Code
			}
			r.mu.Lock()
			n := len(r.sent)
			r.mu.Unlock()
			if code != c.code || n > c.reached || string(got.Value) != c.value {
				t.Errorf("%s %+v, %d calls reached a server", got.Value, got.Error, n)
			}
		})
	}
}

// ask makes one request, and uses the kind of the answer as the result.
func ask(r *frame.Reader, w io.Writer, body string) {
	w.Write(call(1, body))
	f, _ := r.Read()
	w.Write(frame.Append(nil, frame.Frame{Kind: frame.Done, Body: fmt.Appendf(nil, "%q", string(f.Kind))}))
}

// flood makes n calls and waits for all answers.
func flood(r *frame.Reader, w io.Writer, n int) {
	go func() {
		for id := range n {
			w.Write(call(uint64(id+1), echo))
		}
	}()
	for range n {
		if _, err := r.Read(); err != nil {
			return
		}
	}
	w.Write(frame.Append(nil, frame.Frame{Kind: frame.Done, Body: []byte("1")}))
}

// Shows: GW-9.
func TestAScriptThatDoesNotEndIsEnded(t *testing.T) {
	r := newRig(t, func(l *codemode.Limits) { l.Timeout = 2 * time.Second }, nil)
	for _, code := range []string{`for (;;) {}`, `for (;;) await 1`, `[].indexOf.call({ length: 2 ** 53 - 1 }, 1)`,
		`while (true) await forge.stash.keys()`, `return /^(a+)+$/.test("a".repeat(60) + "b")`} {
		if got := r.run(code); got.Error == nil {
			t.Errorf("%s ended by itself: %s", code, got.Value)
		}
	}
	r.tool = func(ctx context.Context, _ *mcpproxy.Call) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	r.fails(`await forge.callTool("notes", "wait", { text: "x" })`, mcpproxy.CodeTimeout, `server "notes" did not answer`)
	r.gives(
		`try { await forge.callTool("notes", "wait", { text: "x" }) } catch (e) { return [e.code, e.retryable] }`,
		`["TIMEOUT",true]`,
	)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	result, _ := r.execute(ctx, "s1", `for (;;) {}`)
	if result == nil || !strings.Contains(string(result.Raw), "CANCELLED") {
		t.Errorf("cancelled: %v", result)
	}
}

// Processing an answer may take longer than the script's time limit. Neither the end of the script
// nor the next script waits for it.
//
// Shows: GW-24.
func TestTheDeadlineHoldsWhileTheHostIsBusyWithAnAnswer(t *testing.T) {
	r := newRig(t, func(l *codemode.Limits) { l.Timeout, l.Concurrent = 500*time.Millisecond, 1 }, nil)
	end := make(chan struct{})
	defer close(end)
	r.tool = func(_ context.Context, call *mcpproxy.Call) (string, error) {
		if call.Tool == "wait" {
			<-end
		}
		return `{"content":[]}`, nil
	}
	start := time.Now()
	r.fails(`return await forge.callTool("notes", "wait", { text: "x" })`, mcpproxy.CodeTimeout, "longer than")
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	r.gives(`return 1`, `1`)
}

// Workers that are killed at any moment leave no processes, files or memory behind.
func TestKilledWorkersLeaveNothing(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Log("this system has no /proc: only the results are checked")
	}
	r := newRig(t, nil, nil)
	r.run(`1`)
	before, stop := open(), make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(rand.Intn(20)) * time.Millisecond):
			}
			for _, pid := range children() {
				if rand.Intn(2) == 0 {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}
	})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 8 {
				r.execute(
					context.Background(),
					"s1",
					`for (let i = 0; i < 20; i++) await forge.callTool("notes", "echo", { text: "x" })`,
				)
			}
		})
	}
	all.Wait()
	close(stop)
	killer.Wait()
	r.host.Close()
	if left := children(); len(left) > 0 {
		t.Errorf("these are left: %v", left)
	}
	if after := open(); after > before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
}

// hostThatDies is an argument that makes this binary a host. It starts a worker with an endless script, prints the
// process IDs, and is killed.
const hostThatDies = "host-that-dies"

func dieAsHost() {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	l := codemode.DefaultLimits()
	l.Timeout = time.Hour // limit of processor time, which must not be what ends the worker
	engine := codemode.NewProcesses(path)
	engine.Configure(l)
	w, err := engine.Start()
	if err != nil {
		panic(err)
	}
	if f, err := frame.NewReader(w, 1<<16).Read(); err != nil || f.Kind != frame.Ready {
		panic(err)
	}
	_ = frame.NewWriter(w).Write(frame.Frame{Kind: frame.Run, Body: []byte(`console.log("begun"); for (;;) {}`)})
	if f, err := frame.NewReader(w, 1<<16).Read(); err != nil || f.Kind != frame.Console {
		panic(err)
	}
	w.Halt() // while it is suspended, the worker cannot notice this itself
	fmt.Println(children())
	os.Exit(0)
}

// A host that was killed cannot end its workers. They end by themselves, even if they are suspended.
// Shows: GW-23.
func TestAWorkerEndsWithItsHost(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, hostThatDies).Output()
	all := strings.Fields(strings.Trim(string(out), "[]\n"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, s := range all {
		pid, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		if !eventually.Within(time.Minute, func() bool { return !lives(pid) }) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("worker %d runs on without a host", pid)
		}
	}
}

// lives reports whether a process exists and has not ended.
func lives(pid int) bool {
	s := state(pid)
	return s != "" && s != "Z"
}

// open returns the number of open descriptors of this process.
func open() int {
	all, _ := filepath.Glob("/proc/self/fd/*")
	return len(all)
}

// children returns the worker processes that this process has started, including ended ones.
func children() (out []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range lists {
		raw, _ := os.ReadFile(name)
		for _, s := range strings.Fields(string(raw)) {
			var pid int
			if _, err := fmt.Sscan(s, &pid); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// The log says how a worker without a result has ended.
func TestTheLogSaysHowAWorkerEnded(t *testing.T) {
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(old)
	r := newRig(t, nil, nil)
	r.tool = func(context.Context, *mcpproxy.Call) (string, error) {
		for _, pid := range children() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return `{"content":[]}`, nil
	}
	if r.run(`1`); len(children()) == 0 {
		t.Skip("this system does not tell which processes there are")
	}
	r.fails(
		`await forge.callTool("notes", "echo", { text: "x" }); for (;;) {}`,
		mcpproxy.CodeInternal,
		"the sandbox was ended",
	)
	if !strings.Contains(log.String(), `end="signal: killed"`) {
		t.Errorf("the log says %s", log.String())
	}
}

// If all layers are required, a worker that lacks one runs no script.
func TestNoScriptRunsWithoutTheConfinementThatIsRequired(t *testing.T) {
	t.Parallel()
	said := make(chan struct{}, 1)
	speaks := lyingEngine{func(_ *frame.Reader, w io.Writer) {
		said <- struct{}{}
		w.Write(frame.Append(nil, frame.Frame{Kind: frame.Done, Body: []byte("1")}))
	}}
	r := newRig(t, func(l *codemode.Limits) { l.Confined = true }, speaks)
	r.fails(`1`, mcpproxy.CodeInternal, "require_confinement")
	select {
	case <-said:
		t.Error("the worker was given the script")
	default:
	}
	if got := newRig(t, nil, speaks).run(`1`); string(got.Value) != "1" {
		t.Errorf("where nothing is required, the result is %s", got.Value)
	}
}
