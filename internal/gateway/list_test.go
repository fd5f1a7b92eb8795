package gateway_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/token"
	"mcpproxy/internal/wire"
)

// page reads one page of a list.
func page(t *testing.T, a *agent, cursor string) (names []string, next string) {
	t.Helper()
	params := `{}`
	if cursor != "" {
		params = string(wire.Set(nil, wire.Quote(cursor), "cursor"))
	}
	m, _ := a.call("1", "tools/list", params).response()
	var got struct {
		Tools []struct{ Name string }
		Next  string `json:"nextCursor"`
	}
	if m.Result == nil || json.Unmarshal(m.Result, &got) != nil {
		t.Fatalf("%s", m.Raw)
	}
	for _, tool := range got.Tools {
		names = append(names, tool.Name)
	}
	return names, got.Next
}

func TestAllToolsAreListedPageByPage(t *testing.T) {
	const n = 600
	r := newRig(t, setup{name: "many", server: many(n)}, setup{name: "chat", server: chat()})
	for name, a := range map[string]*agent{"a stateful client": r.stateful("/mcp/all", "2025-06-18", `{}`), "a stateless client": r.stateless("/mcp/all")} {
		t.Run(name, func(t *testing.T) {
			var all []string
			pages, cursor := 0, ""
			for {
				names, next := page(t, a, cursor)
				all = append(all, names...)
				if pages++; next == "" || pages > 10 {
					break
				}
				if again, _ := page(t, a, cursor); strings.Join(again, " ") != strings.Join(names, " ") {
					t.Fatalf("page %d reads differently the second time", pages)
				}
				cursor = next
			}
			if pages < 2 || len(all) != n+1 {
				t.Fatalf("%d tools on %d pages", len(all), pages)
			}
			if all[0] != "chat__post_message" {
				t.Errorf("the first is %s", all[0])
			}
			for i, got := range all[1:] {
				if want := fmt.Sprintf("many__tool_%04d", i); got != want {
					t.Fatalf("tool %d is %s, want %s", i, got, want)
				}
			}
		})
	}
	for _, cursor := range []string{`"-1"`, `"602"`, `"x"`, `7`, `""`} {
		m, _ := r.stateless("/mcp/all").call("1", "tools/list", `{"cursor":`+cursor+`}`).response()
		if wire.Code(m) != wire.CodeInvalidParams {
			t.Errorf("cursor %s: %.200s", cursor, m.Raw)
		}
	}
}

var suggested = regexp.MustCompile(`Did you mean "([^"]+)"\?`)

// The suggested name must be callable at the endpoint that suggests it.
func TestASuggestionCanBeCalledWhereItIsMade(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()}, setup{name: "notes", server: notes()})
	for name, c := range map[string]struct{ path, params, nearest string }{
		"a misspelt tool of all":               {"/mcp/all", `{"name":"chat__post_mesage","arguments":{}}`, "chat__post_message"},
		"a tool of all without its server":     {"/mcp/all", `{"name":"post_message","arguments":{}}`, "chat__post_message"},
		"a misspelt tool of mcpproxy itself":   {"/mcp", `{"name":"call_tool_reed","arguments":{}}`, "call_tool_read"},
		"a server's tool, called by its name":  {"/mcp", `{"name":"chat:post_message","arguments":{}}`, "call_tool_write"},
		"a misspelt tool inside call_tool":     {"/mcp", `{"name":"call_tool_read","arguments":{"name":"notes:ecco"}}`, "notes:echo"},
		"a misspelt tool inside describe_tool": {"/mcp", `{"name":"describe_tool","arguments":{"name":"notes.echo"}}`, "notes:echo"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := r.stateless(c.path).call("1", "tools/call", c.params).response()
			text := textOf(m)
			got := suggested.FindStringSubmatch(text)
			if (got == nil || got[1] != c.nearest) && !strings.Contains(text, c.nearest) {
				t.Errorf("the answer does not lead to %q: %s", c.nearest, text)
			}
			if string(wire.Member(m.Result, "isError")) != "true" ||
				wire.String(m.Result, "structuredContent", "code") != "TOOL_NOT_FOUND" {
				t.Errorf("no error that a program can tell: %s", m.Result)
			}
		})
	}
}

func TestAWrongArgumentIsNamed(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	for name, c := range map[string]struct{ params, says string }{
		"a limit that is not a number": {`{"name":"retrieve_tools","arguments":{"query":"x","limit":"ten"}}`, "limit"},
		"a query that is a number":     {`{"name":"retrieve_tools","arguments":{"query":7}}`, "query"},
		"no name to describe":          {`{"name":"describe_tool","arguments":{}}`, "name"},
		"no tool to call":              {`{"name":"call_tool_read","arguments":{"args":{}}}`, "name"},
		"no arguments at all":          {`{"name":"call_tool_read"}`, "name"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := r.stateless("/mcp").call("1", "tools/call", c.params).response()
			text := string(m.Error) + textOf(m)
			if !strings.Contains(text, " "+c.says) && !strings.Contains(text, c.says+" ") ||
				strings.Contains(text, `tool \"\"`) ||
				strings.Contains(text, `tool ""`) {
				t.Errorf("the answer does not name %q: %s", c.says, m.Raw)
			}
		})
	}
}

// Every endpoint shows added and removed tools.
func TestAddedToolsAreListed(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	a := r.stateful("/mcp/all", "2025-06-18", `{}`)
	standing := a.do("GET", "", nil)
	add(r.up["notes"], "late", "Came late", echo)
	for {
		m := standing.next()
		if m == nil {
			t.Fatal("the stream ended")
		}
		if m.Method == "notifications/tools/list_changed" {
			break
		}
	}
	names, _ := page(t, a, "")
	if !strings.Contains(strings.Join(names, " "), "notes__late") {
		t.Errorf("told of a change, the client reads %v", names)
	}
}

// A name that is too long for model providers is shortened, and the short name finds the tool.
func TestALongNameIsShortenedAndFoundAgain(t *testing.T) {
	server := strings.Repeat("s", 56)
	r := newRig(t, setup{name: server, server: notes()})
	a := r.stateless("/mcp/all")
	names, _ := page(t, a, "")
	if !slices.Contains(names, server+"__echo") {
		t.Errorf("a name of 62 characters is changed: %q", names)
	}
	echoes := 0
	for _, n := range names {
		if len(n) > 64 || !strings.HasPrefix(n, server+"__") && len(n) < 64 {
			t.Errorf("%q has %d characters", n, len(n))
		}
		if n == server+"__echo" {
			continue
		}
		m, _ := a.call("2", "tools/call", `{"name":"`+n+`","arguments":{"text":"a"}}`).response()
		if m.Result == nil || strings.Contains(string(m.Result), "There is no tool") {
			t.Errorf("%q is not found again: %s", n, m.Raw)
		}
		echoes++
	}
	if echoes == 0 {
		t.Error("no name was long")
	}
	m, _ := a.call("3", "tools/call", `{"name":"`+names[0][:55]+`_00000000","arguments":{}}`).response()
	if !strings.Contains(string(m.Raw), "There is no tool") {
		t.Errorf("another hash finds something: %s", m.Raw)
	}
}

// Two servers may have tools with the same name. The instructions tell each client which of the tools that it may use
// share a name.
//
// Shows: TS-5.
func TestTheInstructionsListSharedToolNames(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()}, setup{name: "spare", server: notes()})
	k := keyUp(r, false)
	const told = `not the same tool: \"notes__delete_note\" and \"spare__delete_note\"; ` +
		`\"notes__echo\" and \"spare__echo\"; `
	for key, want := range map[string]bool{
		"key": true,
		k.token("one", token.Scope{Servers: []string{"notes"}}): false,
	} {
		a := &agent{t: t, url: r.url + "/mcp/all", key: key}
		m, _ := a.call("1", "server/discover", `{}`).response()
		if m.Result == nil || strings.Contains(string(m.Raw), told) != want {
			t.Errorf("told of shared names: want %v, got %s", want, m.Raw)
		}
	}
}
