package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/wire"
)

// runner is a run: the conversation, what is known of the server, and what all
// tests gather.
type runner struct {
	ctx        context.Context
	target     Target
	options    Options
	thresholds Thresholds
	patience   time.Duration // for a first answer
	floods     int           // conversations that ended by one

	conn    *raw.Conn
	surface surface
	current *Result
	sent    int // messages
	planned []Planned
	faults  []raw.Fault // of conversations that are over
	errors  []heard     // the errors that the server gave
	kept    int         // bytes of them
	figures figures
	control *control // nil until it is needed
}

// heard is an error that the server gave.
type heard struct {
	after string // what was done, in a few words
	text  string
	sent  string // what the message said: what the server repeats of it tells nothing
}

func (r *runner) close() {
	if r.conn != nil {
		r.conn.Close()
	}
}

// allow counts a message. It ends the test when the run was stopped, or the bound
// on messages is reached.
func (r *runner) allow() {
	if r.ctx.Err() != nil || r.sent >= r.options.MaxCalls {
		panic(errStopped)
	}
	r.sent++
	r.current.Attempts++
}

// plan notes a message of a dry run instead of sending it.
func (r *runner) plan(method, tool string) bool {
	if !r.options.DryRun {
		return false
	}
	for i := range r.planned {
		if p := &r.planned[i]; p.Test == r.current.ID && p.Method == method && p.Tool == tool {
			p.Count++
			return true
		}
	}
	r.planned = append(r.planned, Planned{r.current.ID, method, tool, 1})
	return true
}

// pretended is the answer to everything in a dry run.
var pretended = raw.Answer{Result: []byte(`{"content":[]}`)}

// patient is the context of one message.
func (r *runner) patient() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.ctx, time.Duration(r.options.CallTimeoutMS)*time.Millisecond)
}

// starting is the context of a server's first answer.
func (r *runner) starting() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.ctx, r.patience)
}

// maxFloods is after how many conversations a server is given up that floods them.
const maxFloods = 3

// request sends a proper request. A conversation that ended before is opened
// again, so that no test suffers for what another did.
func (r *runner) request(method string, params any) raw.Answer {
	return r.requestOf(method, "", params)
}

// call calls a tool.
func (r *runner) call(tool string, arguments json.RawMessage) raw.Answer {
	r.current.called(tool)
	return r.requestOf("tools/call", tool, map[string]any{"name": tool, "arguments": arguments})
}

func (r *runner) requestOf(method, tool string, params any) raw.Answer {
	if r.plan(method, tool) {
		return pretended
	}
	r.allow()
	if err := r.revive(); err != nil {
		return raw.Answer{Err: err}
	}
	encoded := encode(params)
	ctx, cancel := r.patient()
	defer cancel()
	a := r.conn.Request(ctx, method, encoded)
	if r.ctx.Err() != nil {
		panic(errStopped)
	}
	if tool != "" {
		method += " " + tool
	}
	r.learn(method, string(encoded), a)
	return a
}

// frame sends bytes of its own.
func (r *runner) frame(what string, frame, id []byte, header http.Header) raw.Answer {
	if r.plan(what, "") {
		return pretended
	}
	r.allow()
	if err := r.revive(); err != nil {
		return raw.Answer{Err: err}
	}
	if header == nil {
		header = r.standard()
	}
	ctx, cancel := r.patient()
	defer cancel()
	a := r.conn.Frame(ctx, frame, id, header)
	if r.ctx.Err() != nil {
		panic(errStopped)
	}
	r.learn(what, string(frame), a)
	return a
}

// standard are the headers of every message of the conversation.
func (r *runner) standard() http.Header {
	h := http.Header{wire.HeaderVersion: {r.conn.Version}}
	if s := r.conn.Session(); s != "" {
		h[wire.HeaderSession] = []string{s}
	}
	return h
}

// revive opens the conversation again when it has ended.
func (r *runner) revive() error {
	broken := r.conn.Broken()
	if broken == nil {
		return nil
	}
	if errors.Is(broken, raw.ErrFlood) {
		if r.floods++; r.floods >= maxFloods {
			return broken
		}
	}
	r.keepFaults(r.conn)
	r.conn.Close()
	ctx, cancel := r.starting()
	defer cancel()
	conn, err := raw.Dial(ctx, r.target)
	if err != nil {
		return fmt.Errorf("the server cannot be reached any more: %w", err)
	}
	r.conn = conn
	return nil
}

// another opens a further conversation, for a test that spoils its own.
func (r *runner) another() (*raw.Conn, error) {
	r.allow()
	ctx, cancel := r.starting()
	defer cancel()
	return raw.Connect(ctx, r.target)
}

// alive reports whether the server still answers, with the answer that tells.
func (r *runner) alive() (raw.Answer, bool) {
	method := "ping"
	if r.conn.Era == wire.Stateless {
		method = "tools/list"
	}
	a := r.request(method, nil)
	return a, a.OK() || a.Error != nil
}

func (r *runner) keepFaults(c *raw.Conn) { r.faults = append(r.faults, c.Faults()...) }

// learn notes what an answer tells: how long it took, and its error.
func (r *runner) learn(after, sent string, a raw.Answer) {
	r.current.LatencyMS = max(r.current.LatencyMS, milliseconds(a.Latency))
	text := errorText(a)
	if text == "" {
		return
	}
	one := heard{after, clipped(text), clipped(sent)}
	if size := len(one.text) + len(one.sent); r.kept+size <= maxKept {
		r.kept += size
		r.errors = append(r.errors, one)
	}
}

// The bounds of what is kept of the server's errors, in bytes.
const (
	maxHeard = 64 << 10 // of one
	maxKept  = 16 << 20 // of all
)

// clipped is the beginning of a text, in memory of its own.
func clipped(s string) string { return strings.Clone(s[:min(len(s), maxHeard)]) }

// blame makes an answer the one that decided: its code and words stand in the
// result, those of the first failure.
func (r *Result) blame(a raw.Answer) {
	if r.ErrorCode == "" {
		r.ErrorCode, r.ErrorMessage = codeOf(a), shown(errorText(a))
	}
}

// codeOf is the code of an answer that is no success; "" for one that is.
func codeOf(a raw.Answer) string {
	switch {
	case a.Error != nil:
		var e struct{ Code json.Number }
		_ = json.Unmarshal(a.Error, &e) // none: then the code is empty
		return e.Code.String()
	case isError(a):
		return "isError"
	case errors.Is(a.Err, raw.ErrTimeout):
		return "timeout"
	case errors.Is(a.Err, raw.ErrUnreadable):
		return "unreadable"
	case a.Status >= 300:
		return "HTTP " + strconv.Itoa(a.Status)
	case a.Err != nil:
		return "broken"
	}
	return ""
}

func encode(v any) []byte {
	if v == nil {
		return nil
	}
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	return wire.MustJSON(v)
}
