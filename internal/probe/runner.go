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

// runner is a run: the connection, the known facts about the server, and the data that all tests
// collect.
type runner struct {
	ctx        context.Context
	target     Target
	options    Options
	thresholds Thresholds
	patience   time.Duration // timeout of the first answer
	floods     int           // connections that ended because of floods

	conn    *raw.Conn
	surface surface
	current *Result
	sent    int // messages sent
	planned []Planned
	faults  []raw.Fault // protocol violations on closed connections
	errors  []seenError // the errors that the server gave
	kept    int         // their size in bytes
	figures figures
	control *control // nil until needed
}

// seenError is an error response of the server.
type seenError struct {
	after string // the request, in a few words
	text  string
	sent  string // text of the request; if the server repeats it, that reveals nothing
}

func (r *runner) close() {
	if r.conn != nil {
		r.conn.Close()
	}
}

// allow counts a message. It ends the test if the run was stopped or the limit of messages is
// reached.
func (r *runner) allow() {
	if r.ctx.Err() != nil || r.sent >= r.options.MaxCalls {
		panic(errStopped)
	}
	r.sent++
	r.current.Attempts++
}

// plan records a message of a dry run instead of sending it.
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

// pretended is the answer to every request in a dry run.
var pretended = raw.Answer{Result: []byte(`{"content":[]}`)}

// patient returns the context of one message.
func (r *runner) patient() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.ctx, time.Duration(r.options.CallTimeoutMS)*time.Millisecond)
}

// starting returns the context of a server's first answer.
func (r *runner) starting() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.ctx, r.patience)
}

// maxFloods is the number of flooded connections after which the run gives up.
const maxFloods = 3

// request sends a well-formed request. It reconnects if the connection has ended, so that one test
// does not affect the next.
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

// frame sends raw bytes.
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

// standard returns the headers of every message on the connection.
func (r *runner) standard() http.Header {
	h := http.Header{wire.HeaderVersion: {r.conn.Version}}
	if s := r.conn.Session(); s != "" {
		h[wire.HeaderSession] = []string{s}
	}
	return h
}

// revive reconnects if the connection has ended.
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

// another opens a separate connection, for a test that breaks its connection.
func (r *runner) another() (*raw.Conn, error) {
	r.allow()
	ctx, cancel := r.starting()
	defer cancel()
	return raw.Connect(ctx, r.target)
}

// alive reports whether the server still answers, and returns that answer.
func (r *runner) alive() (raw.Answer, bool) {
	method := "ping"
	if r.conn.Era == wire.Stateless {
		method = "tools/list"
	}
	a := r.request(method, nil)
	return a, a.OK() || a.Error != nil
}

func (r *runner) keepFaults(c *raw.Conn) { r.faults = append(r.faults, c.Faults()...) }

// learn records an answer's duration and error.
func (r *runner) learn(after, sent string, a raw.Answer) {
	r.current.LatencyMS = max(r.current.LatencyMS, milliseconds(a.Latency))
	text := errorText(a)
	if text == "" {
		return
	}
	one := seenError{after, clipped(text), clipped(sent)}
	if size := len(one.text) + len(one.sent); r.kept+size <= maxKept {
		r.kept += size
		r.errors = append(r.errors, one)
	}
}

// Limits of the stored errors, in bytes.
const (
	maxHeard = 64 << 10 // for one error
	maxKept  = 16 << 20 // for all errors
)

// clipped returns a copy of the beginning of a text.
func clipped(s string) string { return strings.Clone(s[:min(len(s), maxHeard)]) }

// blame makes an answer the decisive one: the result contains the code and message of the first
// failure.
func (r *Result) blame(a raw.Answer) {
	if r.ErrorCode == "" {
		r.ErrorCode, r.ErrorMessage = codeOf(a), shown(errorText(a))
	}
}

// codeOf returns the code of a failed answer, or "" for a success.
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
