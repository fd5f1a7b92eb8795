package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/wire"
)

const steps = `{"name":"steps","arguments":{},"_meta":{"progressToken":"mine"}}`

// told counts the messages before an answer.
func told(messages []*wire.Message) (progress, logs int) {
	for _, m := range messages {
		switch m.Method {
		case "notifications/progress":
			if wire.String(m.Params, "progressToken") == "mine" {
				progress++
			}
		case "notifications/message":
			logs++
		}
	}
	return progress, logs
}

func TestProgressAndLogsComeBeforeTheAnswer(t *testing.T) {
	r := newRig(
		t,
		setup{name: "old", server: worker(t, nil, nil)},
		setup{name: "new", server: worker(t, nil, nil), modern: true},
	)
	for _, server := range []string{"old", "new"} {
		t.Run("a stateful client of the "+server+" server", func(t *testing.T) {
			a := r.stateful("/mcp/s/"+server, "2025-11-25", `{}`)
			if m, _ := a.call("1", "logging/setLevel", `{"level":"info"}`).response(); m.Result == nil {
				t.Fatalf("%s", m.Raw)
			}
			m, before := a.call("2", "tools/call", steps).response()
			if progress, logs := told(before); textOf(m) != "done" || progress != 3 || logs != 3 {
				t.Errorf("%d of progress, %d logs, then %s", progress, logs, m.Raw)
			}
		})
		t.Run("a stateless client of the "+server+" server", func(t *testing.T) {
			params := string(wire.Set([]byte(steps), []byte(`"info"`), "_meta", wire.MetaLogLevel))
			m, before := r.stateless("/mcp/s/"+server).call("2", "tools/call", params).response()
			if progress, logs := told(before); textOf(m) != "done" || progress != 3 || logs != 3 {
				t.Errorf("%d of progress, %d logs, then %s", progress, logs, m.Raw)
			}
		})
		t.Run("a stateless client of the "+server+" server that wants no logs", func(t *testing.T) {
			m, before := r.stateless("/mcp/s/"+server).call("2", "tools/call", steps).response()
			if progress, logs := told(before); textOf(m) != "done" || progress != 3 || logs != 0 {
				t.Errorf("%d of progress, %d logs, then %s", progress, logs, m.Raw)
			}
		})
	}
	t.Run("through the tools of mcpproxy", func(t *testing.T) {
		params := `{"name":"call_tool_read","arguments":{"name":"old:steps"},"_meta":{"progressToken":"mine"}}`
		m, before := r.stateless("/mcp").call("2", "tools/call", params).response()
		if progress, _ := told(before); textOf(m) != "done" || progress != 3 {
			t.Errorf("%d of progress, then %s", progress, m.Raw)
		}
	})
}

// expect waits for a value on a channel.
func expect(t *testing.T, from chan string, want string) {
	t.Helper()
	select {
	case got := <-from:
		if got != want {
			t.Fatalf("heard %q, want %q", got, want)
		}
	case <-time.After(patience / 2):
		t.Fatalf("did not hear %q", want)
	}
}

func TestCancellingReachesTheServer(t *testing.T) {
	started, cancelled := make(chan string, 10), make(chan string, 10)
	r := newRig(t, setup{name: "old", server: worker(t, started, cancelled)}, setup{
		name:   "new",
		server: worker(t, started, nil),
		modern: true,
		left:   cancelled,
	})
	for _, path := range []string{"/mcp/s/old", "/mcp/s/new", "/mcp"} {
		sleep := func(text string) string {
			if path == "/mcp" {
				return `{"name":"call_tool_read","arguments":{"name":"old:sleep","args":{"text":"` + text + `"}}}`
			}
			return `{"name":"sleep","arguments":{"text":"` + text + `"}}`
		}
		heard := func(text string) string { // a stateless server only notices the closed exchange
			if path == "/mcp/s/new" {
				return "left"
			}
			return text
		}
		t.Run("a stateful client's wish at "+path, func(t *testing.T) {
			a := r.stateful(path, "2025-11-25", `{}`)
			a.hang(`"c-1"`, "tools/call", sleep("wish"))
			expect(t, started, "wish")
			a.send(
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c-1","reason":"enough"}}`,
				nil,
			)
			expect(t, cancelled, heard("wish"))
		})
		t.Run("a stateless client that hangs up at "+path, func(t *testing.T) {
			a := &agent{t: t, url: r.url + path}
			hangUp := a.hang("1", "tools/call", sleep("hang-up"))
			expect(t, started, "hang-up")
			hangUp()
			expect(t, cancelled, heard("hang-up"))
		})
	}
}

func TestACallThatTakesTooLongIsCancelled(t *testing.T) {
	started, cancelled := make(chan string, 10), make(chan string, 10)
	r := newRig(t, setup{name: "old", server: worker(t, started, cancelled), timeout: 200 * time.Millisecond})
	m, _ := r.stateless("/mcp/s/old").call("1", "tools/call", `{"name":"sleep","arguments":{"text":"long"}}`).response()
	if wire.String(m.Error, "data", "code") != "TIMEOUT" || !strings.Contains(string(m.Error), "old") {
		t.Errorf("got %s", m.Raw)
	}
	expect(t, started, "long")
	expect(t, cancelled, "long")
}

// Two sessions use one server at the same time, with the same ids. Each gets only its own questions and answers.
// Shows: FR-028.
func TestSessionsNeverSeeEachOther(t *testing.T) {
	r := newRig(t, setup{name: "asker", server: asker()})
	type turn struct {
		a *agent
		x *exchange
		q *wire.Message
	}
	var turns []turn
	for i := range 4 {
		a := r.stateful("/mcp/s/asker", "2025-11-25", canElicit)
		x := a.call("1", "tools/call", fmt.Sprintf(`{"name":"confirm","arguments":{"text":"session %d"}}`, i))
		q := x.next()
		if q == nil || wire.String(q.Params, "message") != fmt.Sprintf("Really session %d?", i) {
			t.Fatalf("session %d is asked %v", i, q)
		}
		turns = append(turns, turn{a, x, q})
	}
	// An answer from one session to a question of the other is ignored.
	turns[1].a.send(
		`{"jsonrpc":"2.0","id":`+string(turns[0].q.ID)+`,"result":{"action":"accept","content":{"colour":"wrong"}}}`,
		nil,
	)
	for i := len(turns) - 1; i >= 0; i-- {
		if i == 1 && string(turns[0].q.ID) == string(turns[1].q.ID) {
			continue // its own question had the same id
		}
		turns[i].a.send(
			fmt.Sprintf(
				`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"colour":"c%d"}}}`,
				turns[i].q.ID,
				i,
			),
			nil,
		)
	}
	for i, turn := range turns {
		want := fmt.Sprintf("accept c%d", i)
		if i == 1 && string(turns[0].q.ID) == string(turns[1].q.ID) {
			want = "accept wrong"
		}
		if m, before := turn.x.response(); textOf(m) != want || len(before) > 0 {
			t.Errorf("session %d, after %d messages: %s", i, len(before), m.Raw)
		}
	}
	if n := r.gateway.SessionCount(); n != 4 {
		t.Errorf("%d sessions are open", n)
	}
	for _, turn := range turns {
		turn.a.do("DELETE", "", nil)
	}
	if n := r.gateway.SessionCount(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

func TestARunningIdIsNotUsedTwice(t *testing.T) {
	started, cancelled := make(chan string, 10), make(chan string, 10)
	r := newRig(t, setup{name: "old", server: worker(t, started, cancelled)})
	a := r.stateful("/mcp/s/old", "2025-11-25", `{}`)
	a.hang("1", "tools/call", `{"name":"sleep","arguments":{"text":"first"}}`)
	expect(t, started, "first")
	if m, _ := a.call("1", "ping", `{}`).response(); wire.Code(m) != wire.CodeInvalidRequest {
		t.Errorf("got %s", m.Raw)
	}
	a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil)
	expect(t, cancelled, "first")
}

func TestASessionThatEndsCancelsItsCalls(t *testing.T) {
	started, cancelled := make(chan string, 10), make(chan string, 10)
	r := newRig(t, setup{name: "old", server: worker(t, started, cancelled)})
	for _, path := range []string{"/mcp/s/old", "/mcp/all"} {
		t.Run(path, func(t *testing.T) {
			name := "sleep"
			if path == "/mcp/all" {
				name = "old__sleep"
			}
			a := r.stateful(path, "2025-11-25", `{}`)
			a.hang("1", "tools/call", `{"name":"`+name+`","arguments":{"text":"first"}}`)
			expect(t, started, "first")
			a.do("DELETE", "", nil)
			expect(t, cancelled, "first")
		})
	}
}
