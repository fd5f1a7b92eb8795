package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// realServers returns four widely used servers, each in a folder of its own.
func realServers(t *testing.T) (servers []object, folder string) {
	t.Helper()
	folder = t.TempDir()
	err := os.WriteFile(filepath.Join(folder, "minutes.txt"), []byte("The harbour is closed on Mondays."), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	memory := npmServer(t, "memory", "@modelcontextprotocol/server-memory")
	memory["env"] = object{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")}
	return []object{
		npmServer(t, "everything", "@modelcontextprotocol/server-everything"),
		npmServer(t, "filesystem", "@modelcontextprotocol/server-filesystem", folder),
		memory,
		npmServer(t, "sqlite", "mcp-server-sqlite-npx", filepath.Join(t.TempDir(), "test.db")),
	}, folder
}

// step is a call of a real tool, with a part of the expected answer.
type step struct {
	server, tool, with string
	args               object
	want               string
}

func realSteps(folder string) []step {
	return []step{
		{"everything", "echo", "read", object{"message": "hello"}, "hello"},
		{"everything", "get-sum", "read", object{"a": 2, "b": 40}, "42"},
		{
			"filesystem",
			"read_text_file",
			"read",
			object{"path": filepath.Join(folder, "minutes.txt")},
			"closed on Mondays",
		},
		{
			"filesystem",
			"write_file",
			"write",
			object{"path": filepath.Join(folder, "new.txt"), "content": "written by an agent"},
			"Successfully",
		},
		{"filesystem", "list_directory", "read", object{"path": folder}, "new.txt"},
		{
			"memory",
			"create_entities",
			"write",
			object{
				"entities": []object{
					{"name": "Harbour", "entityType": "place", "observations": []string{"closed on Mondays"}},
				},
			},
			"[",
		},
		{"memory", "search_nodes", "read", object{"query": "Harbour"}, "closed on Mondays"},
		{"sqlite", "create_table", "write", object{"query": "CREATE TABLE IF NOT EXISTS ships (name TEXT)"}, ""},
		{"sqlite", "write_query", "write", object{"query": "INSERT INTO ships VALUES ('Aurora')"}, ""},
		{"sqlite", "read_query", "read", object{"query": "SELECT name FROM ships"}, "Aurora"},
	}
}

func TestAnAgentUsesRealServers(t *testing.T) {
	t.Parallel()
	servers, folder := realServers(t)
	d := start(t, servers...)
	for _, revision := range []string{stateful, stateless} {
		t.Run("with the finder, "+revision, func(t *testing.T) {
			s := d.agent(t, "/mcp", revision)
			expectTools(
				t,
				s,
				5,
				"retrieve_tools",
				"describe_tool",
				"call_tool_read",
				"call_tool_write",
				"call_tool_destructive",
			)
			for _, step := range realSteps(folder) {
				expectStep(
					t,
					s,
					step,
					"call_tool_"+step.with,
					object{"name": step.server + ":" + step.tool, "args": step.args},
				)
			}
		})
		t.Run("with all tools side by side, "+revision, func(t *testing.T) {
			s := d.agent(t, "/mcp/all", revision)
			expectTools(
				t,
				s,
				41,
				"everything__echo",
				"filesystem__read_text_file",
				"memory__read_graph",
				"sqlite__read_query",
			)
			for _, step := range realSteps(folder) {
				expectStep(t, s, step, step.server+"__"+step.tool, step.args)
			}
		})
		t.Run("one by one, "+revision, func(t *testing.T) {
			sessions := map[string]*mcp.ClientSession{}
			for server, tools := range map[string]int{
				"everything": 13,
				"filesystem": 14,
				"memory":     9,
				"sqlite":     5,
			} {
				sessions[server] = d.agent(t, "/mcp/s/"+server, revision)
				expectTools(t, sessions[server], tools)
			}
			for _, step := range realSteps(folder) {
				expectStep(t, sessions[step.server], step, step.tool, step.args)
			}
		})
	}
}

func expectTools(t *testing.T, s *mcp.ClientSession, atLeast int, names ...string) {
	t.Helper()
	var have []string
	for tool, err := range s.Tools(within(t), nil) {
		if err != nil {
			t.Fatalf("listing tools: %v", err)
		}
		have = append(have, tool.Name)
	}
	if len(have) < atLeast {
		t.Errorf("%d tools are listed, want at least %d: %v", len(have), atLeast, have)
	}
	for _, name := range names {
		if !slices.Contains(have, name) {
			t.Errorf("%s is not listed: %v", name, have)
		}
	}
}

func expectStep(t *testing.T, s *mcp.ClientSession, step step, tool string, args object) {
	t.Helper()
	text, isError := call(t, s, tool, args)
	if isError || !strings.Contains(text, step.want) {
		t.Errorf("%s answered %.300q (error: %t), want %q", tool, text, isError, step.want)
	}
}

func TestAnAgentFindsAToolBeforeItCallsIt(t *testing.T) {
	t.Parallel()
	servers, _ := realServers(t)
	d := start(t, servers...)
	s := d.agent(t, "/mcp", stateful)
	for query, want := range map[string]string{
		"read a text file":           "filesystem:read_text_file",
		"run a SELECT query":         "sqlite:read_query",
		"search the knowledge graph": "memory:search_nodes",
		"add two numbers":            "everything:get-sum",
	} {
		var found struct{ Tools []struct{ Name string } }
		decode(t, use(t, s, "retrieve_tools", object{"query": query, "limit": 5}), &found)
		if !slices.ContainsFunc(found.Tools, func(x struct{ Name string }) bool { return x.Name == want }) {
			t.Errorf("%q does not find %s among %v", query, want, found.Tools)
		}
		var described struct {
			CallWith   string `json:"call_with"`
			Definition struct{ InputSchema object }
		}
		decode(t, use(t, s, "describe_tool", object{"name": want}), &described)
		if described.CallWith != "call_tool_read" || described.Definition.InputSchema["type"] != "object" {
			t.Errorf("%s is described as %+v", want, described)
		}
	}
	if text, isError := call(
		t,
		s,
		"describe_tool",
		object{"name": "filesystem:read_txt_file"},
	); !isError ||
		!strings.Contains(text, "Did you mean") {
		t.Errorf("a misspelt tool is answered with %q", text)
	}
	text, isError := call(
		t,
		s,
		"call_tool_destructive",
		object{"name": "memory:delete_entities", "args": object{"entityNames": []string{"Harbour"}}},
	)
	if !isError || !strings.Contains(text, "security.tool_policy.destructive") {
		t.Errorf("a destructive call is answered with %q", text)
	}
}

func decode(t *testing.T, text string, out any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
}
