package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/wire"
)

const helpProtocol = "Read messages with a library that speaks JSON-RPC 2.0 strictly: refuse what cannot be read (-32700, -32600), keep serving after it, answer every request once and under its own id, " +
	"and write nothing but messages to standard output. Let initialize answer an unknown version with one that the server speaks."

// brokenFrame is a frame that a correct client never sends.
type brokenFrame struct{ name, frame string }

func brokenFrames() []brokenFrame {
	return []brokenFrame{
		{"text that is not JSON", "this is not JSON"},
		{"a message that is cut off", `{"jsonrpc":"2.0","id":"probe-cut","method":"ping"`},
		{"a number", "42"},
		{"an empty batch", "[]"},
		{"a request without jsonrpc", `{"id":"probe-bare","method":"ping"}`},
		{"a method that is not a string", `{"jsonrpc":"2.0","id":"probe-method","method":17}`},
		{"params that are not an object", `{"jsonrpc":"2.0","id":"probe-params","method":"tools/call","params":"x"}`},
		{
			"bytes that are not UTF-8",
			"{\"jsonrpc\":\"2.0\",\"id\":\"probe-utf8\",\"method\":\"ping\",\"params\":{\"x\":\"\xff\xfe\"}}",
		},
		{
			"params nested 5,000 deep",
			`{"jsonrpc":"2.0","id":"probe-deep","method":"ping","params":` + strings.Repeat(
				`{"a":`,
				5000,
			) + "1" + strings.Repeat(
				"}",
				5000,
			) + `}`,
		},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"notifications/probe/unknown"}`},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":"probe-answer","result":{}}`},
		{
			"a cancellation without a request",
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"probe-nothing","reason":"probe"}}`,
		},
	}
}

// testProtocol sends protocol violations and concurrent calls, and checks that the server still
// answers correctly.
func testProtocol(r *runner, out *Result) {
	for _, step := range []func(*Result) bool{r.sendBroken, r.sendUnanswerable, r.cancelCall, r.callTogether,
		r.wrongVersion, r.wrongHeader} {
		if !step(out) {
			break // the server no longer answers
		}
	}
	if r.options.DryRun {
		return
	}
	r.keepFaults(r.conn)
	seen := map[string]bool{}
	for _, f := range r.faults {
		if !seen[f.Kind] {
			seen[f.Kind] = true
			out.fail(shown(f.Detail))
		}
	}
}

// stillAlive fails the test if the server no longer answers.
func (r *runner) stillAlive(out *Result, after string) bool {
	a, ok := r.alive()
	if !ok {
		out.fail(fmt.Sprintf("after %s the server %s", after, failedToAnswer(a)))
		out.blame(a)
	}
	return ok
}

func (r *runner) sendBroken(out *Result) bool {
	for _, b := range brokenFrames() {
		if !r.options.DryRun {
			if r.revive() == nil {
				r.conn.Mark(wire.Member([]byte(b.frame), "id"))
				r.conn.Mark(wire.GuessID([]byte(b.frame), nil))
			}
		}
		a := r.frame(b.name, []byte(b.frame), nil, nil)
		if a.Status >= 500 {
			out.fail(
				fmt.Sprintf(
					"%s is answered with HTTP status %d, which reports an error of the server: refuse the request with 400",
					b.name,
					a.Status,
				),
			)
			out.blame(a)
		}
		if !r.options.DryRun && r.conn.Broken() != nil { // checked before a new connection hides it
			out.fail(fmt.Sprintf("after %s the server %s", b.name, failedToAnswer(raw.Answer{Err: r.conn.Broken()})))
		}
		if !r.stillAlive(out, b.name) {
			return false
		}
	}
	return true
}

// sendUnanswerable sends well-formed requests that must get an error.
func (r *runner) sendUnanswerable(out *Result) bool {
	for _, q := range []struct {
		name, method string
		params       any
	}{
		{"an unknown method", "probe/unknown", struct{}{}},
		{"tools/call without a name", "tools/call", map[string]any{"arguments": struct{}{}}},
		{"tools/call with a number for a name", "tools/call", map[string]any{"name": 17, "arguments": struct{}{}}},
		{"resources/read without a URI", "resources/read", struct{}{}},
	} {
		a := r.request(q.method, q.params)
		switch {
		case r.options.DryRun:
		case failedToAnswer(a) != "":
			out.fail(fmt.Sprintf("asked with %s, the server %s: it must answer with an error", q.name, failedToAnswer(a)))
			out.blame(a)
		case !refusal(a):
			out.fail(q.name + " is answered with a success")
		}
		if failedToAnswer(a) != "" && !r.stillAlive(out, q.name) {
			return false
		}
	}
	return true
}

// cancelWait is how long to wait after a cancellation, so that the cancelled call cannot disturb
// the next test.
const cancelWait = 200 * time.Millisecond

// cancelCall cancels a running call.
func (r *runner) cancelCall(out *Result) bool {
	method, params := r.harmless()
	if r.plan(method+", cancelled", "") {
		return true
	}
	r.allow()
	if r.revive() != nil {
		return r.stillAlive(out, "what came before")
	}
	ctx, cancel := r.patient()
	defer cancel()
	id := r.conn.NextID()
	done := make(chan struct{})
	go func() {
		defer close(done)
		short, stop := context.WithTimeout(ctx, cancelWait)
		defer stop()
		r.conn.RequestAs(short, id, method, params) // both an answer and silence are allowed
	}()
	note := wire.MustJSON(map[string]any{"requestId": json.RawMessage(id), "reason": "probe"})
	err := r.conn.Notify(ctx, "notifications/cancelled", note)
	<-done
	if err != nil && r.ctx.Err() == nil {
		out.fail("a cancellation cannot be sent: " + shown(err.Error()))
	}
	return r.stillAlive(out, "a cancelled call")
}

// harmless returns a tool call, or a list request if no tool may be called.
func (r *runner) harmless() (method string, params []byte) {
	for _, t := range r.callable(1) {
		return "tools/call", wire.MustJSON(
			map[string]any{"name": t.name, "arguments": schemaOf(t.schema).arguments(nil)},
		)
	}
	return "tools/list", nil
}

// together is the number of concurrent calls.
const together = 8

// callTogether makes concurrent calls with string and number ids. Each must be answered once, with
// its own id.
func (r *runner) callTogether(out *Result) bool {
	method, params := r.harmless()
	answers := make([]raw.Answer, together)
	var all sync.WaitGroup
	for i := range answers {
		if r.plan(method, "") {
			continue
		}
		r.allow()
		if r.revive() != nil {
			break
		}
		id := []byte(fmt.Sprintf(`"probe-%d"`, i))
		if i%2 == 0 {
			id = r.conn.NextID()
		}
		conn := r.conn
		all.Go(func() {
			ctx, cancel := r.patient()
			defer cancel()
			answers[i] = conn.RequestAs(ctx, id, method, params)
		})
	}
	all.Wait()
	if r.ctx.Err() != nil {
		panic(errStopped)
	}
	missing := 0
	for _, a := range answers {
		r.learn(method, string(params), a)
		if failedToAnswer(a) != "" {
			missing++
			out.blame(a)
		}
	}
	if missing > 0 && !r.options.DryRun {
		out.fail(fmt.Sprintf("%d of %d calls made at once were not answered", missing, together))
	}
	return missing == 0 || r.stillAlive(out, "calls side by side")
}

// noVersion is a protocol revision that never existed.
const noVersion = "1999-01-01"

// wrongVersion connects with a revision that never existed. The server must answer with a revision
// that it supports, or refuse.
func (r *runner) wrongVersion(out *Result) bool {
	if r.plan("initialize", "") {
		return true
	}
	conn, err := r.another()
	if err != nil {
		return r.stillAlive(out, "a second conversation")
	}
	defer conn.Close()
	ctx, cancel := r.starting()
	defer cancel()
	a := conn.Request(ctx, "initialize", raw.Hello(noVersion))
	if r.ctx.Err() != nil {
		panic(errStopped)
	}
	r.learn("initialize", noVersion, a)
	r.keepFaults(conn)
	switch version := wire.String(a.Result, "protocolVersion"); {
	case version == noVersion:
		out.fail(
			"initialize agrees to the protocol version " + noVersion + ", which does not exist: answer with a version that the server supports",
		)
	case failedToAnswer(a) != "":
		out.fail("asked for an unknown protocol version, the server " + failedToAnswer(a))
		out.blame(a)
	}
	return true
}

// wrongHeader sends a request with a revision that never existed in its header.
func (r *runner) wrongHeader(out *Result) bool {
	if r.conn.Transport != raw.OverHTTP || r.conn.Era == wire.Stateful && r.conn.Version < "2025-06-18" {
		return true
	}
	h := http.Header{}
	if !r.options.DryRun {
		h = r.standard()
	}
	h[wire.HeaderVersion] = []string{noVersion}
	id := []byte(`"probe-header"`)
	a := r.frame("a request of an unknown version", wire.NewRequest(id, "tools/list", nil).Raw, id, h)
	if !r.options.DryRun && a.Status < 400 {
		out.fail(
			"a request whose header names the protocol version " + noVersion + " is served: refuse it with HTTP status 400",
		)
	}
	return true
}
