package mcpproxy_test

import (
	"strings"
	"testing"

	"mcpproxy"
)

func TestARecordSaysWhatAnAgentsOwnToolRanOrUsed(t *testing.T) {
	for name, c := range map[string]struct{ server, tool, arguments, want string }{
		"a command":           {"", "Bash", `{"command":"git status","description":"x"}`, "git status"},
		"a command of Codex":  {"", "exec_command", `{"cmd":"ls -l"}`, "ls -l"},
		"words":               {"", "shell", `{"command":["bash","-lc","ls"]}`, "bash -lc ls"},
		"several lines":       {"", "Bash", `{"command":"a\n\tb\r\nc"}`, "a b c"},
		"a long command":      {"", "Bash", `{"command":"` + strings.Repeat("é", 300) + `"}`, strings.Repeat("é", 199) + "…"},
		"200 characters":      {"", "Bash", `{"command":"` + strings.Repeat("é", 200) + `"}`, strings.Repeat("é", 200)},
		"a number":            {"", "Bash", `{"command":7}`, ""},
		"no object":           {"", "Bash", `"[7 bytes]"`, ""},
		"a file":              {"", "Read", `{"file_path":"/x","limit":3}`, "/x"},
		"a file and a text":   {"", "Edit", `{"file_path":"/x","old_string":"a","new_string":"b"}`, "/x"},
		"an address":          {"", "WebFetch", `{"url":"https://a.example/b","prompt":"sum it up"}`, "https://a.example/b"},
		"a search in a file":  {"", "Grep", `{"pattern":"TODO","path":"src"}`, "TODO"},
		"a folder":            {"", "LS", `{"path":"src"}`, "src"},
		"another argument":    {"", "TodoWrite", `{"todos":[]}`, ""},
		"a tool of a server":  {"box", "run", `{"command":"ls"}`, ""},
		"a record of no call": {"", "", `{"command":"ls"}`, ""},
		"no arguments":        {"", "Bash", ``, ""},
	} {
		r := mcpproxy.Record{ServerName: c.server, ToolName: c.tool, Arguments: []byte(c.arguments)}
		if got := r.Ran(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
