package codemode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/codemode/frame"
	"mcpproxy/internal/codemode/worker"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/text"
)

// Failure is the error of a script or of one of its calls.
type Failure = worker.Failure

// execution is one run of one script.
type execution struct {
	h      *Host
	limits *Limits
	call   *mcpproxy.Call // call of the script itself
	user   gate.User
	clock  *clock
	slot   *slot
	rest   rest
	out    *frame.Writer
	lock   groupLock

	// conclude ends the execution with its outcome. Only the first call has an effect.
	conclude func(value json.RawMessage, failure *Failure)

	mu      sync.Mutex
	last    uint64 // id of the newest call
	bytes   int    // size of the open calls' arguments
	calls   int    // counted calls
	console strings.Builder
	cut     bool // the console output was truncated
	over    bool // the result has arrived: later frames are ignored
}

// maxOpen is the maximum number of open calls of one script. The worker queues further calls
// itself.
const maxOpen = 1024

// run runs the script of call.
func (h *Host) run(ctx context.Context, call *mcpproxy.Call, user gate.User) *Outcome {
	start := time.Now()
	l := h.limits.Load()
	out := &Outcome{}
	var own *slot
	code, err := codeOf(call, l)
	if err == nil {
		own, err = h.rooms.enter(ctx, maxWait)
	}
	if err != nil {
		out.Error = failureFrom(err)
		return out
	}
	defer own.leave()
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &execution{
		h:      h,
		limits: l,
		call:   call,
		user:   user,
		slot:   own,
	}
	var once sync.Once
	x.conclude = func(value json.RawMessage, failure *Failure) {
		once.Do(func() {
			if cause := context.Cause(ctx); failure != nil && cause != nil {
				failure = x.ended(cause)
			}
			out.Value, out.Error = value, failure
			cancel(nil)
		})
	}
	w, err := h.Engine.Start()
	if err != nil {
		slog.Error("the sandbox could not be started", "error", err)
		out.Error = &Failure{Code: mcpproxy.CodeInternal, Message: "the sandbox could not be started"}
		return out
	}
	late := make(chan struct{})
	x.clock = newClock(l.Timeout, sync.OnceFunc(func() { cancel(errTime); close(late) }))
	defer x.clock.stop()
	x.rest.size, x.rest.begin = max(1, l.Parallel), func() (end func()) { return x.halt(w) }
	defer x.rest.close()
	x.out = frame.NewWriter(w)
	kill := context.AfterFunc(ctx, w.Kill)
	defer func() { kill(); w.Kill() }()
	x.await(outer, late, func() { x.converse(ctx, w, code) })
	out.Console, out.Calls = x.printed()
	out.DurationMS = float64(time.Since(start)) / float64(time.Millisecond)
	return out
}

// await runs the conversation and waits for its end, until the time is over or the caller has gone.
// Work still in progress then continues in the background without a slot: inspecting a large result
// may take longer than the script's time.
func (x *execution) await(ctx context.Context, late <-chan struct{}, converse func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				slog.Error("a script could not be served", "panic", r, "stack", string(debug.Stack()))
				x.conclude(nil, &Failure{Code: mcpproxy.CodeInternal, Message: "the script could not be served"})
			}
		}()
		converse()
	}()
	select {
	case <-done:
		return
	case <-late:
		x.finish()
		x.conclude(nil, x.ended(errTime))
	case <-ctx.Done():
		x.finish()
		x.conclude(nil, x.ended(context.Cause(ctx)))
	}
}

// halt suspends the script and its clock and lends its slot to others, until the returned function
// is called.
func (x *execution) halt(w Worker) (resume func()) {
	w.Halt()
	run, back := x.clock.pause(), x.slot.step()
	return func() {
		back()
		run()
		w.Resume()
	}
}

var errTime = errors.New("out of time")

// ended returns why an execution was ended from outside.
func (x *execution) ended(cause error) *Failure {
	if errors.Is(cause, errTime) {
		return &Failure{
			Code:         mcpproxy.CodeTimeout,
			Message:      fmt.Sprintf("the script ran longer than %v (code_execution.timeout_secs)", x.limits.Timeout),
			SuggestedFix: "make independent calls side by side with forge.parallel, or do less in one script",
		}
	}
	return &Failure{Code: mcpproxy.CodeCancelled, Message: "the script was cancelled"}
}

// codeOf returns the script in a call.
func codeOf(call *mcpproxy.Call, l *Limits) (string, error) {
	var in struct {
		Code string `json:"code"`
	}
	if err := json.Unmarshal(call.Arguments, &in); err != nil {
		return "", mcpproxy.Errorf(
			mcpproxy.CodeMalformed,
			err,
			"execute needs code, a string, or the name of a stored script",
		)
	}
	switch {
	case strings.TrimSpace(in.Code) == "":
		return "", mcpproxy.Errorf(
			mcpproxy.CodeMalformed,
			nil,
			"execute needs code, a non-empty string such as async () => { … }",
		)
	case len(in.Code) > l.Code:
		return "", mcpproxy.Errorf(
			mcpproxy.CodeTooLarge,
			nil,
			"the script has %d bytes, %d are allowed",
			len(in.Code),
			l.Code,
		)
	}
	return in.Code, nil
}

// converse exchanges frames with a worker until the result arrives or the worker violates the
// protocol, and until all its calls are finished. It does not trust anything that the worker says.
func (x *execution) converse(ctx context.Context, w Worker, code string) {
	r := frame.NewReader(w, x.limits.Frame)
	ready, err := r.Read()
	if err != nil || ready.Kind != frame.Ready {
		x.conclude(nil, x.died(w, err, "it did not get ready"))
		return
	}
	if err := x.h.checkLayers(ready.Body, x.limits.Confined); err != nil {
		x.finish()
		x.conclude(nil, &Failure{
			Code:         mcpproxy.CodeInternal,
			Message:      err.Error(),
			SuggestedFix: "ask the user to run mcpproxy doctor, which says what the system lacks",
		})
		return
	}
	if err := x.out.Write(frame.Frame{Kind: frame.Run, Body: []byte(code)}); err != nil {
		x.conclude(nil, x.died(w, err, "it took no script"))
		return
	}
	q := callQueue{size: x.rest.size, serve: func(f frame.Frame) { x.serve(ctx, f) },
		receive: func() (frame.Frame, int, bool) { return x.receive(w, r) }}
	q.run()
}

// receive waits for the next call. Open is the number of calls without an answer. ok is false if
// the worker has ended or the result has arrived.
func (x *execution) receive(w Worker, r *frame.Reader) (f frame.Frame, open int, ok bool) {
	for {
		f, err := r.Read()
		if err != nil {
			x.conclude(nil, x.died(w, err, "it ended without a result"))
			return f, 0, false
		}
		switch f.Kind {
		case frame.Console:
			x.rest.heard()
			x.print(f.Body)
			continue
		case frame.Call:
			if open, err = x.admit(f); err == nil {
				return f, open, true
			}
			x.conclude(nil, x.died(w, err, "it violated the sandbox protocol"))
		case frame.Done:
			x.finish()
			x.conclude(x.value(f.Body))
		case frame.Thrown:
			x.finish()
			x.conclude(nil, x.thrown(f.Body))
		default:
			x.conclude(nil, x.died(w, fmt.Errorf("a frame of kind %q", byte(f.Kind)), "it violated the sandbox protocol"))
		}
		return f, 0, false
	}
}

// died returns the failure of a worker that ended without a result.
func (x *execution) died(w Worker, err error, what string) *Failure {
	x.finish()
	var detail, end string
	if p, ok := w.(*process); ok {
		detail, end = p.Faults()
	}
	if errors.Is(err, frame.ErrTooLarge) {
		return &Failure{
			Code:         mcpproxy.CodeTooLarge,
			Message:      "the script passed on more than it may at once",
			SuggestedFix: "pass less data: select the members that you need",
		}
	}
	if strings.Contains(detail, "out of memory") || strings.Contains(detail, "cannot allocate memory") {
		return &Failure{
			Code:    mcpproxy.CodeTooLarge,
			Message: "the script exceeded its memory limit (code_execution.heap_mb)",
		}
	}
	slog.Warn("a sandbox ended early", "activity", x.call.ID, "why", what, "error", err, "end", end, "stderr", detail)
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && err != nil {
		return &Failure{Code: mcpproxy.CodeInternal, Message: "the sandbox was ended: " + what}
	}
	return &Failure{
		Code:    mcpproxy.CodeInternal,
		Message: "the sandbox was ended: the script used more time or memory than it may, or did what a script cannot",
	}
}

// admit registers a new call and returns the number of open calls. Ids must increase; any other id
// is a violation. The number of open calls and their total size are limited.
func (x *execution) admit(f frame.Frame) (open int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f.ID != x.last+1 {
		return 0, fmt.Errorf("call %d follows call %d", f.ID, x.last)
	}
	x.last = f.ID
	if open = x.rest.called(); open > maxOpen {
		return 0, fmt.Errorf("more than %d calls wait at once", maxOpen)
	}
	if x.bytes += len(f.Body); x.bytes > x.limits.Frame {
		return 0, fmt.Errorf("the calls that wait: %w", frame.ErrTooLarge)
	}
	return open, nil
}

// answered records the end of a registered call. It reports whether the answer is still wanted.
func (x *execution) answered(f frame.Frame) (wanted bool) {
	x.rest.answered()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.bytes -= len(f.Body)
	return !x.over
}

// finish makes the execution ignore everything that arrives later.
func (x *execution) finish() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
}

// value returns the script's result.
func (x *execution) value(body []byte) (json.RawMessage, *Failure) {
	switch {
	case len(body) > x.limits.Output:
		return nil, &Failure{
			Code: mcpproxy.CodeTooLarge,
			Message: fmt.Sprintf(
				"the result has %d bytes, %d are allowed (code_execution.max_output_bytes)",
				len(body),
				x.limits.Output,
			),
			SuggestedFix: "return less data: select the members that you need, or store the rest with forge.stash.put",
		}
	case len(body) == 0:
		return nil, nil
	}
	if _, err := text.Parse(body, ""); err != nil {
		return nil, &Failure{
			Code:    mcpproxy.CodeMalformed,
			Message: "the result cannot be read as JSON: " + err.Error(),
		}
	}
	return body, nil
}

// thrown returns the error that ended a script.
func (x *execution) thrown(body []byte) *Failure {
	var f Failure
	if len(body) > x.limits.Output || json.Unmarshal(body, &f) != nil || f.Code == "" {
		return &Failure{Code: mcpproxy.CodeScript, Message: "the script threw a value that cannot be shown"}
	}
	f.Where = cut(f.Where, 2000)
	return &f
}

// print stores a line of the console. It cuts the first line that exceeds the limit, adds a note that output is
// missing, and drops all later lines.
func (x *execution) print(line []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cut {
		return
	}
	mark := fmt.Sprintf("\n… cut here: %d bytes are kept (code_execution.max_output_bytes)", x.limits.Output)
	left := x.limits.Output - x.console.Len() - len(mark) - 1
	said := strings.ToValidUTF8(string(line), "\uFFFD")
	if x.cut = len(said)+1 > left; x.cut {
		said = cut(said, left) + mark
	}
	x.console.WriteString(said)
	x.console.WriteByte('\n')
}

// printed returns the console output and the number of counted calls.
func (x *execution) printed() (string, int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.console.String(), x.calls
}

// cut returns the beginning of s, at most n bytes, without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(0, n)]
}

// checkLayers logs once which layers of the sandbox a worker lacks. If all layers are required, it returns
// an error instead. A worker reports before it receives a script, so the report can be trusted.
func (h *Host) checkLayers(ready []byte, required bool) error {
	var layers []worker.Layer
	if err := json.Unmarshal(ready, &layers); err != nil || len(layers) == 0 {
		layers = []worker.Layer{{Name: "all", Why: "the sandbox did not say"}}
	}
	var missing []string
	for _, l := range layers {
		if !l.Held {
			missing = append(missing, l.Name+": "+l.Why)
		}
	}
	if required && len(missing) > 0 {
		return fmt.Errorf(
			"code_execution.require_confinement is set, and this system cannot confine a script in full: %s",
			strings.Join(missing, "; "),
		)
	}
	if len(missing) > 0 {
		h.weak.Do(func() {
			slog.Warn("the sandbox of scripts is incomplete", "missing", strings.Join(missing, "; "))
		})
	}
	return nil
}

// Layers starts a worker without a script and returns the layers that it reports.
func Layers(e Engine) ([]worker.Layer, error) {
	w, err := e.Start()
	if err != nil {
		return nil, err
	}
	defer w.Kill()
	ready, err := frame.NewReader(w, 1<<16).Read()
	if err != nil {
		return nil, err
	}
	var layers []worker.Layer
	return layers, json.Unmarshal(ready.Body, &layers)
}
