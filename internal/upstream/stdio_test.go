package upstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/wire"
)

func TestStdioAnswersArriveUntouched(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	const arguments = `{"n":12345678901234567890, "f":1.10, "s":"\u0041\/", "_meta":{"x":null},"nested":{"b":1,"a":2}}`
	resp, err := askWith(t, s, tool("echo", arguments), nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(resp.ID) != `"agent-7"` {
		t.Errorf("the answer has the id %s", resp.ID)
	}
	want := `{"jsonrpc":"2.0","id":"agent-7","x-extra":[1,2],"result":{"content":[],"unknown":{"deep":true},"big":12345678901234567890,` +
		`"params":{"name":"echo","arguments":` + arguments + `}}}`
	if string(resp.Raw) != want {
		t.Errorf("got\n%s\nwant\n%s", resp.Raw, want)
	}
}

func TestAMessageOfSeveralLinesIsOneFrame(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	req, err := wire.Parse(
		[]byte("{\"jsonrpc\":\"2.0\",\r\n \"id\":1,\n \"method\":\"tools/call\",\n \"params\":{\"name\":\n\"echo\"}}"),
	)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := askWith(t, s, req, nil)
	if err != nil || resp.Result == nil || string(resp.ID) != "1" {
		t.Errorf("%v, %v", resp, err)
	}
}

// Misbehaviour in one call does not affect other calls.
func TestStdioMisbehaviour(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool string
		code mcpproxy.Code // "" if the call succeeds nevertheless
	}{
		"an answer that never comes is a timeout":              {"hang", mcpproxy.CodeTimeout},
		"an answer with another id is no answer":               {"wrong-id", mcpproxy.CodeTimeout},
		"an answer with its id as a string is no answer":       {"string-id", mcpproxy.CodeTimeout},
		"a result with duplicate keys is malformed":            {"duplicate", mcpproxy.CodeMalformed},
		"a result with invalid UTF-8 is malformed":             {"invalid", mcpproxy.CodeMalformed},
		"half an answer is malformed":                          {"half", mcpproxy.CodeMalformed},
		"an answer of several lines is not valid":              {"lines", mcpproxy.CodeTimeout},
		"the death of the server is an error":                  {"die", mcpproxy.CodeUpstream},
		"a second answer to the same call is dropped":          {"twice", ""},
		"a flood of notifications drowns no answer":            {"flood", ""},
		"garbage between messages is skipped":                  {"garbage", ""},
		"a lot of text on standard error is no reason to fail": {"stderr", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := stdioSpec(t, "plain")
			if c.code == mcpproxy.CodeTimeout {
				spec.Timeout = 3 * time.Second
			}
			s, _ := start(t, spec)
			works(t, s)
			begin := time.Now()
			resp, err := ask(t, s, c.tool)
			if c.code == "" {
				if err != nil || resp.Result == nil {
					t.Errorf("got %v, %v", resp, err)
				}
			} else if err == nil || mcpproxy.CodeOf(err) != c.code {
				t.Errorf("got %v with code %s, want %s", err, mcpproxy.CodeOf(err), c.code)
			}
			if d := time.Since(begin); c.code != mcpproxy.CodeTimeout && d > patience/2 {
				t.Errorf("it took %s", d)
			}
			if err != nil && !strings.Contains(mcpproxy.AgentMessage(err), `"fake"`) {
				t.Errorf("the agent is told %q, without the server's name", mcpproxy.AgentMessage(err))
			}
			if c.tool == "lines" &&
				(err == nil || !strings.Contains(err.Error(), "5 messages that are not valid, such as a text of several lines")) {
				t.Errorf("nobody hears of the lines: %v", err)
			}
			works(t, s)
		})
	}
}

// Shows: GW-9.
func TestATimeoutIsCancelledUpstream(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.Timeout = 3 * time.Second
	s, _ := start(t, spec)
	works(t, s)
	if _, err := ask(t, s, "hang"); mcpproxy.CodeOf(err) != mcpproxy.CodeTimeout {
		t.Fatalf("got %v", err)
	}
	var report struct {
		Cancelled []struct {
			RequestID int64 `json:"requestId"`
		}
	}
	resp, err := ask(t, s, "report")
	decode(t, resp, err, &report)
	if len(report.Cancelled) != 1 || report.Cancelled[0].RequestID == 0 {
		t.Errorf("the server was told %+v", report.Cancelled)
	}
}

// A frame of 100 MB costs neither the memory nor the connection.
func TestAHugeFrameIsRefusedInBoundedMemory(t *testing.T) {
	for name, tool := range map[string]string{
		"with its id in front":   "huge",
		"with its id at the end": "huge-id-last",
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := start(t, stdioSpec(t, "plain"))
			works(t, s)
			begin := time.Now()
			peak := heapGrowth(func() {
				_, err := ask(t, s, tool)
				if mcpproxy.CodeOf(err) != mcpproxy.CodeTooLarge {
					t.Errorf("got %v with code %s, want %s", err, mcpproxy.CodeOf(err), mcpproxy.CodeTooLarge)
				}
			})
			if peak > 64<<20 {
				t.Errorf("the heap grew by %d MB", peak>>20)
			}
			if d := time.Since(begin); d > patience*3/4 {
				t.Errorf("it took %s", d)
			}
			works(t, s)
		})
	}
}

// heapGrowth returns the maximum growth of the heap during f.
func heapGrowth(f func()) int64 {
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse)
	}
	runtime.GC()
	before, peak := inUse(), int64(0)
	done, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			peak = max(peak, inUse()-before)
			select {
			case <-tick.C:
			case <-done:
				tick.Stop()
				return
			}
		}
	}()
	f()
	close(done)
	<-sampled
	return peak
}

func TestStandardErrorIsKeptInBounds(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	if _, err := ask(t, s, "stderr"); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the last line is in the log", func() bool {
		lines := s.Logs()
		return len(lines) > 0 && lines[len(lines)-1].Text == "the last line"
	})
	lines := s.Logs()
	if len(lines) != 500 {
		t.Errorf("%d lines are kept", len(lines))
	}
	for _, l := range lines {
		if len(l.Text) > 4096 {
			t.Errorf("a line of %d bytes is kept", len(l.Text))
		}
	}
	if long := lines[len(lines)-2].Text; long != strings.Repeat("z", 4096) {
		t.Errorf("of the long line %d bytes are kept", len(long))
	}
}

func TestTheEnvironmentIsClean(t *testing.T) {
	t.Setenv("TEST_PARENT_SECRET", "not for servers")
	t.Setenv("LANG", "C.UTF-8")
	spec := stdioSpec(t, "plain")
	spec.Env["NAMED"] = "value=with=signs"
	spec.Env["HOME"] = "/elsewhere"
	spec.Dir = t.TempDir()
	s, _ := start(t, spec)
	var got struct{ Env []string }
	resp, err := ask(t, s, "env")
	decode(t, resp, err, &got)
	want := []string{
		"HOME=/elsewhere",
		"LANG=C.UTF-8",
		"NAMED=value=with=signs",
		"PATH=" + os.Getenv("PATH"),
		modeVariable + "=plain",
	}
	slices.Sort(got.Env)
	if !slices.Equal(got.Env, want) {
		t.Errorf("the server sees\n%q\nwant\n%q", got.Env, want)
	}
}

// A call ends when its link is closed, not only when the server's process ends.
func TestACallEndsWhenItsLinkIsClosed(t *testing.T) {
	t.Parallel()
	s, m := start(t, stdioSpec(t, "stubborn")) // the process ends only when it is killed, seconds later
	works(t, s)
	failed := make(chan error, 1)
	go func() {
		_, err := ask(t, s, "hang")
		failed <- err
	}()
	time.Sleep(100 * time.Millisecond)
	begin, closed := time.Now(), make(chan struct{})
	go func() {
		defer close(closed)
		m.Close(context.Background())
	}()
	if err := <-failed; err == nil {
		t.Error("the call succeeded")
	}
	if d := time.Since(begin); d > time.Second {
		t.Errorf("it took %s", d)
	}
	<-closed
}

// Callers that share a link may use the same token. Each gets its own progress.
func TestProgressFindsItsCaller(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	works(t, s)
	var wg sync.WaitGroup
	for _, token := range []string{`"same"`, `"same"`, `7`} {
		wg.Go(func() {
			req := tool(
				"progress",
				"{}",
			).WithParams([]byte(`{"name":"progress","_meta":{"progressToken":` + token + `,"other":1}}`))
			var got bytes.Buffer
			_, err := askWith(t, s, req, func(m *wire.Message) {
				fmt.Fprintf(&got, "%s:%s ", wire.Member(m.Params, "progressToken"), wire.Member(m.Params, "progress"))
			})
			if want := fmt.Sprintf("%s:0 %s:1 %s:2 ", token, token, token); err != nil || got.String() != want {
				t.Errorf("got %q, %v; want %q", got.String(), err, want)
			}
		})
	}
	wg.Wait()
}

func TestAMissingProgramIsReported(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.Command = "/nonexistent/server"
	s, _ := start(t, spec)
	_, err := s.Shared(t.Context())
	if mcpproxy.CodeOf(err) != mcpproxy.CodeUpstream || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if msg := mcpproxy.AgentMessage(err); strings.Contains(msg, "/nonexistent") {
		t.Errorf("the agent is told the command: %q", msg)
	}
}
