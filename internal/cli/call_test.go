package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/demo"
	"mcpproxy/internal/demo/servers"
	"mcpproxy/internal/remote"
)

func TestArgumentsHaveTheKindThatTheSchemaWants(t *testing.T) {
	const schema = `{"properties": {"text": {"type": "string"}, "n": {"type": "integer"}, "f": {"type": "number"}, "on": {"type": "boolean"},
		"list": {"type": "array"}, "it": {"type": "object"}, "maybe": {"type": ["integer", "null"]}, "either": {"type": ["string", "integer"]}, "any": {}}}`
	for _, c := range []struct {
		given, pair, want, err string
	}{
		{"{}", "text=42", `{"text":"42"}`, ""},
		{"{}", "text=a=b", `{"text":"a=b"}`, ""},
		{"{}", "text=", `{"text":""}`, ""},
		{"{}", "n=12345678901234567890", `{"n":12345678901234567890}`, ""},
		{"{}", "n=many", "", `n: "many" does not match the type integer`},
		{"{}", "n=", "", `n: "" does not match the type integer`},
		{"{}", "f=-1.50", `{"f":-1.50}`, ""},
		{"{}", "on=true", `{"on":true}`, ""},
		{"{}", "on=1", "", `on: "1" does not match the type boolean`},
		{"{}", `list=["a"]`, `{"list":["a"]}`, ""},
		{"{}", "list=a", "", `list: "a" does not match the type array`},
		{"{}", `it={"a":1}`, `{"it":{"a":1}}`, ""},
		{"{}", "maybe=null", `{"maybe":null}`, ""},
		{"{}", "maybe=x", "", `maybe: "x" does not match the type integer or null`},
		{"{}", "either=7", `{"either":"7"}`, ""},
		{"{}", "any=7", `{"any":"7"}`, ""},
		{"{}", "unknown=7", `{"unknown":"7"}`, ""},
		{"{}", "any:=7", `{"any":7}`, ""},
		{"{}", "any:=seven", "", `"seven" is not valid JSON; to pass a string, write any=VALUE`},
		{`{"big":12345678901234567890}`, "text=x", `{"big":12345678901234567890,"text":"x"}`, ""},
		{`{"text":"x"}`, "text=y", "", `the argument "text" is given twice`},
		{"{}", "text", "", `"text" is not an argument`},
		{"{}", "=x", "", `"=x" is not an argument`},
		{"{}", ":=x", "", `":=x" is not an argument`},
	} {
		got, err := withPairs([]byte(c.given), []string{c.pair}, []byte(schema))
		switch {
		case c.err == "" && (err != nil || string(got) != c.want):
			t.Errorf("%s: %s, %v", c.pair, got, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %s, %v", c.pair, got, err)
		}
	}
}

func TestAResultIsReadableAndSafe(t *testing.T) {
	for name, c := range map[string]struct{ result, want string }{
		"texts":               {`{"content":[{"type":"text","text":"a\tb\nc"},{"type":"text","text":"d\n"}]}`, "a\tb\nc\nd\n"},
		"a terminal's orders": {`{"content":[{"type":"text","text":"a\u001b[2Jb\u202ec\r\nd\u0007"}]}`, "a·[2Jb·c\nd·\n"},
		"an image":            {`{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, "[image image/png, 3 bytes; -o json prints them]\n"},
		"a resource":          {`{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"inside"}}]}`, "inside\n"},
		"a binary resource":   {`{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"x/y","blob":"AAAAAAAA"}}]}`, "[file:///a x/y, 6 bytes; -o json prints them]\n"},
		"a link":              {`{"content":[{"type":"resource_link","uri":"file:///a"}]}`, "file:///a\n"},
		"structured content":  {`{"content":[],"structuredContent":{"n":12345678901234567890}}`, "{\"n\":12345678901234567890}\n"},
		"nothing":             {`{}`, ""},
		"no list":             {`{"content":7}`, ""},
	} {
		if got := textOf([]byte(c.result)); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzAResultIsSafeToPrint(f *testing.F) {
	f.Add(
		[]byte(
			`{"content":[{"type":"text","text":"\u001b]0;x\u0007"},{"type":"image","mimeType":"\u202e","data":"AA"}],"structuredContent":{"a":"\u009b"}}`,
		),
	)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, r := range textOf(raw) {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("%q is printed of %q", r, raw)
			}
		}
	})
}

// askingDaemon returns a daemon that asks a person about every write to a chat.
func askingDaemon(t *testing.T) *daemon.Daemon {
	t.Helper()
	chat := mcp.NewServer(&mcp.Implementation{Name: "chat", Version: "1"}, nil)
	servers.AddChat(chat)
	return daemonOf(t, "chat", chat, "")
}

// daemonOf returns a daemon with one server, of one tool and with further keys in its configuration.
func daemonOf(t *testing.T, name string, server *mcp.Server, keys string) *daemon.Daemon {
	t.Helper()
	up := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() { up.CloseClientConnections(); up.Close() })
	dir := t.TempDir()
	c, err := config.Parse(
		"",
		fmt.Appendf(
			nil,
			`{"listen": "127.0.0.1:0", "api_key": "k", "data_dir": %q, "enable_socket": false, "mcpServers": {%q: {"url": %q%s}},
		"security": {"tool_quarantine": {"auto_quarantine_new_tools": false}, "tool_policy": {"write": "ask"}}}`,
			dir,
			name,
			up.URL,
			keys,
		),
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	d, err := daemon.Start(t.Context(), filepath.Join(dir, "mcp_config.json"), c, func(*config.Config) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	if err := demo.WaitForTools(t.Context(), d, 1); err != nil {
		t.Fatal(err)
	}
	return d
}

// asking returns a client of a daemon's tools that asks a person.
func asking(t *testing.T, d *daemon.Daemon, person *term.Asker) *remote.ToolClient {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := &remote.Client{Http: &http.Client{Transport: transport}, Base: "http://" + d.Address()}
	return remote.NewToolClient(client, "k", questioner{person}.elicit)
}

func TestACallIsAskedAboutOnTheTerminal(t *testing.T) {
	d, ctx := askingDaemon(t), t.Context()
	for i, c := range []struct{ entered, want string }{
		{"y\n", "posted to x"}, {"yes\n", "posted to x"}, {"n\n", "A person was asked and said no."}, {"\n", "said no"}, {"", "said no"}, {"sure\n", "said no"},
	} {
		said := &bytes.Buffer{}
		tools := asking(t, d, term.NewAsker(strings.NewReader(c.entered), said))
		// A call to another channel needs another answer.
		arguments := fmt.Appendf(nil, `{"name":"chat:post_message","args":{"channel":"x%d","text":"hello"}}`, i)
		result, err := tools.Call(ctx, "call_tool_write", arguments)
		if err != nil || !strings.Contains(textOf(result), c.want) {
			t.Errorf("%q: %s, %v", c.entered, result, err)
		}
		if !strings.Contains(said.String(), "May the agent call chat:post_message?") ||
			!strings.Contains(said.String(), "[y/N]") ||
			strings.Contains(said.String(), "remember (once, session, always)") != strings.HasPrefix(c.entered, "y") {
			t.Errorf("%q: the question is %q", c.entered, said)
		}
	}
	gone, leave := context.WithCancel(ctx)
	leave()
	silent := questioner{term.NewAsker(neverReads{}, io.Discard)}
	if _, err := silent.elicit(gone, []byte(`{"message":"?"}`)); err == nil {
		t.Error("whoever ends the program has answered")
	}
}

// If the user ends the program while it asks a question, the question counts as dismissed, and the same call is asked
// about again.
func TestAQuestionEndsWithItsProgram(t *testing.T) {
	d := askingDaemon(t)
	arguments := []byte(`{"name":"chat:post_message","args":{"channel":"x","text":"hello"}}`)
	ctx, leave := context.WithCancel(t.Context())
	tools := asking(t, d, term.NewAsker(neverReads{}, writes(leave)))
	if _, err := tools.Call(ctx, "call_tool_write", arguments); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	tools = asking(t, d, term.NewAsker(strings.NewReader("y\n"), io.Discard))
	result, err := tools.Call(t.Context(), "call_tool_write", arguments)
	if err != nil || !strings.Contains(textOf(result), "posted to x") {
		t.Errorf("%s, %v", result, err)
	}
}

// writes is a screen that calls a function when something is written.
type writes func()

func (f writes) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

// neverReads is a terminal at which nobody types.
type neverReads struct{}

func (neverReads) Read([]byte) (int, error) { select {} }

func TestAQuestionsFormIsFilledIn(t *testing.T) {
	for _, c := range []struct{ entered, want string }{
		{"y\n3\nme\n", `{"action":"accept","content":{"count":3,"name":"me"}}`},
		{"y\n\n\n", `{"action":"accept","content":{}}`},
		{"n\n", `{"action":"decline"}`},
	} {
		asked := questioner{term.NewAsker(strings.NewReader(c.entered), io.Discard)}
		got, err := asked.elicit(
			t.Context(),
			[]byte(
				`{"message":"Who?","requestedSchema":{"properties":{"name":{"type":"string"},"count":{"type":"integer"}}}}`,
			),
		)
		if err != nil || string(got) != c.want {
			t.Errorf("%q: %s, %v", c.entered, got, err)
		}
	}
}
