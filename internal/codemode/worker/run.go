package worker

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"modernc.org/quickjs"

	"mcpproxy"
	"mcpproxy/internal/codemode/frame"
	"mcpproxy/internal/codemode/validate"
)

//go:embed bootstrap.js
var bootstrap string

// Failure is the error of a script, as the host and the script read it.
type Failure struct {
	Code         mcpproxy.Code `json:"code"`
	Message      string        `json:"message"`
	Retryable    bool          `json:"retryable"`
	SuggestedFix string        `json:"suggested_fix,omitempty"`
	ActivityID   string        `json:"activity_id,omitempty"` // id of the failed call's record
	Where        string        `json:"where,omitempty"`       // stack trace of the script
}

// machine is a script engine with the API.
type machine struct {
	vm      *quickjs.VM
	start   quickjs.Value // function that starts the script
	settle  quickjs.Value // function that receives the answer to a call
	send    func(frame.Frame)
	ended   bool
	waiting int // calls without an answer
}

// newMachine returns a machine whose scripts may use at most heap bytes.
func newMachine(o Options, send func(frame.Frame)) (*machine, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	vm.SetMemoryLimit(uintptr(o.HeapMB) << 20)
	m := &machine{vm: vm, send: send}
	if err := vm.RegisterFunc("__host", m.said, false); err != nil {
		return nil, err
	}
	banned, err := json.Marshal(validate.Names)
	if err != nil {
		return nil, err
	}
	source := fmt.Sprintf(
		"%s(%d, %d, %d, %s)",
		strings.TrimSpace(bootstrap),
		max(1, o.Parallel),
		o.MaxOpen,
		o.MaxBytes,
		strings.Replace(string(banned), `"globalThis",`, "", 1),
	)
	api, err := vm.EvalValue(source, quickjs.EvalGlobal)
	if err == nil {
		m.start, err = m.method(api, "start")
	}
	if err == nil {
		m.settle, err = m.method(api, "settle")
	}
	if err != nil {
		return nil, fmt.Errorf("the bootstrap: %w", err)
	}
	return m, nil
}

// said handles a message of the bootstrap to the host.
func (m *machine) said(kind string, id int, body string) {
	if m.ended || kind == "" {
		return
	}
	f := frame.Frame{Kind: frame.Kind(kind[0]), ID: uint64(id), Body: []byte(body)}
	switch f.Kind {
	case frame.Call:
		m.waiting++
	case frame.Done, frame.Thrown:
		m.ended = true
	}
	if f.Kind != frame.Console {
		whole(f.Body)
	}
	m.send(f)
}

// whole replaces unpaired surrogates in JSON that the engine has written, where \ud… is the only
// such escape. A text that was cut inside a character must not invalidate the rest of the result.
func whole(body []byte) {
	for at := bytes.IndexByte(body, '\\'); at >= 0 && at+1 < len(body); {
		n := 2 // a backslash and the escaped character
		if rest := body[at:]; len(rest) >= 6 && rest[1] == 'u' && rest[2] == 'd' && rest[3] >= '8' {
			copy(rest, `\ufffd`)
			n = 6
		}
		next := bytes.IndexByte(body[at+n:], '\\')
		if next < 0 {
			return
		}
		at += n + next
	}
}

// fail ends the script with an error of the worker.
func (m *machine) fail(f Failure) {
	if m.ended {
		return
	}
	m.ended = true
	body, err := json.Marshal(f)
	if err != nil {
		body = []byte(`{"code":"INTERNAL","message":"the error cannot be shown"}`)
	}
	m.send(frame.Frame{Kind: frame.Thrown, Body: body})
}

// run runs a script to its end. Answer waits for the answer to one of its calls.
func (m *machine) run(text string, answer func() frame.Frame) {
	this, err := m.vm.EvalValue("void 0", quickjs.EvalGlobal) // hides the global object from the script
	var main quickjs.Value
	if err == nil {
		main, err = m.vm.EvalThisValue(this, text, quickjs.EvalGlobal)
	}
	if err == nil {
		err = m.call(m.start, main)
	}
	for err == nil && !m.ended {
		if err = m.drain(); err != nil || m.ended {
			break
		}
		if m.waiting == 0 {
			m.fail(
				Failure{
					Code:    mcpproxy.CodeScript,
					Message: "the script waits for a promise that nothing will ever settle, or had no memory to settle it (code_execution.heap_mb)",
				},
			)
			return
		}
		f := answer()
		m.waiting--
		err = m.call(m.settle, int(f.ID), f.Kind == frame.Value, string(f.Body))
	}
	if err != nil {
		m.fail(failureOf(err))
	}
}

// drain runs the pending jobs.
func (m *machine) drain() error {
	for !m.ended {
		n, err := m.vm.ExecutePendingJobs()
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// method returns a function of the API.
func (m *machine) method(api quickjs.Value, name string) (quickjs.Value, error) {
	atom, err := m.vm.NewAtom(name)
	if err != nil {
		return quickjs.Value{}, err
	}
	return m.vm.GetPropertyValue(api, atom)
}

func (m *machine) call(f quickjs.Value, args ...any) error {
	v, err := f.CallValue(quickjs.UndefinedValue, args...)
	if err == nil {
		v.Free()
	}
	return err
}

// failureOf converts an error of the engine.
func failureOf(err error) Failure {
	f := Failure{Code: mcpproxy.CodeScript, Message: err.Error()}
	if e, ok := errors.AsType[*quickjs.Error](err); ok {
		f.Message, f.Where = e.Name+": "+e.Message, e.Stack
	}
	nothing := f.Message == ": " // an error without name and message: the engine was out of memory
	if nothing || strings.Contains(f.Message, "out of memory") {
		f.Code = mcpproxy.CodeTooLarge
		f.Message = "the script exceeded its memory limit (code_execution.heap_mb)"
		f.SuggestedFix = "keep less at a time: take pages, or pick the members that matter"
	}
	return f
}
