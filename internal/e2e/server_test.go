package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
)

// serverVariable makes this test binary a stdio MCP server. Its value says how the server answers tools/call.
const serverVariable = "MCPPROXY_E2E_SERVER"

// ownServer returns the configuration of a stdio server that this test binary plays. mode says how it answers
// tools/call. If it never answers a call, the timeout of calls is 3 seconds.
func ownServer(name, mode string) object {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	server := object{"name": name, "command": self, "env": object{serverVariable: mode}}
	if mode == "mute" || mode == "answers others" {
		server["timeout_secs"] = 3
	}
	return server
}

// ownTool is the only tool of a [stdioServer]. Its name says that it reads.
const ownTool = `{"name":"read_thing","description":"Reads a thing.","inputSchema":{"type":"object"}}`

// stdioServer is the MCP server that this test binary plays if serverVariable is set.
type stdioServer struct {
	mode string
	out  *bufio.Writer
}

// playServer serves until its input ends.
func playServer(mode string) {
	if mode == "deaf" {
		signal.Ignore(syscall.SIGTERM)
		defer time.Sleep(5 * time.Minute)
	}
	s := &stdioServer{mode: mode, out: bufio.NewWriterSize(os.Stdout, 1<<16)}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(line, &m) == nil {
			s.take(m.ID, m.Method, m.Params)
			s.out.Flush()
		}
	}
}

func (s *stdioServer) take(id json.RawMessage, method string, params json.RawMessage) {
	switch {
	case method == "notifications/cancelled":
		fmt.Fprintln(os.Stderr, "heard that a call was cancelled")
	case id == nil:
	case method == "initialize":
		s.result(
			id,
			`{"protocolVersion":"`+stateful+`","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"own","version":"1"}}`,
		)
	case method == "tools/list":
		s.result(id, `{"tools":[`+ownTool+`]}`)
	case method == "ping" || method == "logging/setLevel":
		s.result(id, `{}`)
	case method == "tools/call":
		modes[s.mode](s, id, params)
	default:
		s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, id)
	}
}

func (s *stdioServer) line(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

func (s *stdioServer) result(id json.RawMessage, result string) {
	s.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func (s *stdioServer) done(id json.RawMessage) {
	s.result(id, `{"content":[{"type":"text","text":"done"}]}`)
}

// modes are the ways in which a [stdioServer] answers tools/call.
var modes = map[string]func(s *stdioServer, id, params json.RawMessage){
	"calm": func(s *stdioServer, id, _ json.RawMessage) { s.done(id) },
	"echo": func(s *stdioServer, id, params json.RawMessage) {
		s.result(id, `{ "content":[],"params":`+string(params)+`}`)
	},
	"diary": func(s *stdioServer, id, _ json.RawMessage) { // no two entries are the same
		s.result(id, `{"content":[{"type":"text","text":"entry: `+diaryEntry()+`"}]}`)
	},
	"deaf": func(s *stdioServer, id, _ json.RawMessage) { s.done(id) },
	"slow": func(s *stdioServer, id, _ json.RawMessage) {
		time.Sleep(time.Second)
		s.done(id)
	},
	"mute": func(*stdioServer, json.RawMessage, json.RawMessage) {},
	"huge": func(s *stdioServer, id, _ json.RawMessage) {
		fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id)
		block := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
		for range 100 { // 100 MB
			_, _ = s.out.Write(block)
		}
		s.line(`"}]}}`)
	},
	"talks on after the answer": func(s *stdioServer, id, _ json.RawMessage) {
		s.done(id)
		s.out.Flush()
		message := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat(
			"x",
			12<<20,
		) + `"}}`
		for range 15 {
			s.line("%s", message)
		}
		s.out.Flush()
		fmt.Fprintln(os.Stderr, "all is said")
	},
	"talks too much": func(s *stdioServer, id, _ json.RawMessage) {
		text := strings.Repeat("x", 1000)
		for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
			s.line(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%q}}`, text)
		}
		s.done(id)
	},
	"changes its tools all the time": func(s *stdioServer, id, _ json.RawMessage) {
		for range 30_000 {
			s.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		s.done(id)
	},
	"reports progress all the time": func(s *stdioServer, id, params json.RawMessage) {
		var p struct {
			Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
		if json.Unmarshal(params, &p) == nil && p.Meta.ProgressToken != nil {
			for i := range 30_000 {
				s.line(
					`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":"on the way"}}`,
					p.Meta.ProgressToken,
					i,
				)
			}
		}
		s.done(id)
	},
	"asks all the time": func(s *stdioServer, id, _ json.RawMessage) {
		for i := range 30_000 {
			s.line(
				`{"jsonrpc":"2.0","id":"q%d","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
				i,
			)
		}
		s.done(id)
	},
	"dies":              func(*stdioServer, json.RawMessage, json.RawMessage) { os.Exit(3) },
	"answers others":    func(s *stdioServer, _, _ json.RawMessage) { s.done(json.RawMessage("987654")) },
	"answers twice":     func(s *stdioServer, id, _ json.RawMessage) { s.done(id); s.done(id) },
	"not UTF-8":         func(s *stdioServer, id, _ json.RawMessage) { s.result(id, "{\"content\":[],\"x\":\"\xff\xfe\"}") },
	"repeats a key":     func(s *stdioServer, id, _ json.RawMessage) { s.result(id, `{"content":[],"content":[]}`) },
	"result and error":  func(s *stdioServer, id, _ json.RawMessage) { s.result(id, `{},"error":{"code":1,"message":"x"}`) },
	"nests 10,000 deep": func(s *stdioServer, id, _ json.RawMessage) { s.result(id, nested(10_000)) },
	"nests 5,000 deep":  func(s *stdioServer, id, _ json.RawMessage) { s.result(id, nested(5_000)) },
	"chatters on its output": func(s *stdioServer, id, _ json.RawMessage) {
		s.line("Server listening!\n\n{}\n[1,2]\nnull")
		s.done(id)
	},
}

// nested returns a JSON object of that depth.
func nested(depth int) string {
	return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
}

// expectLog waits until a server has written a line to its standard error.
func (d *daemon) expectLog(t *testing.T, server, line string) {
	t.Helper()
	eventually.SucceedsWithin(t, 90*time.Second, "server "+server+" writes "+line, func() error {
		var lines []struct{ Text string }
		if err := d.api("/servers/"+server+"/logs", &lines); err != nil {
			return err
		}
		if !slices.ContainsFunc(lines, func(l struct{ Text string }) bool { return l.Text == line }) {
			return fmt.Errorf("the log is %v", lines)
		}
		return nil
	})
}
