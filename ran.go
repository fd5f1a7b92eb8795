package mcpproxy

import (
	"encoding/json"
	"strings"
)

// mostRan is the maximum number of characters that [Record.Ran] returns.
const mostRan = 200

// ranKeys are the arguments of agents' own tools that say what a call is about, the most telling first: a command, a
// file, an address, or what is searched for.
var ranKeys = []string{
	"command",
	"cmd", // the name that Codex uses
	"file_path",
	"filePath",
	"absolute_path",
	"notebook_path",
	"target_file",
	"url",
	"pattern",
	"query",
	"path",
	"dir_path",
}

// Ran returns what a call of an agent's own tool ran or used: the start of the command, or else the file, the address
// or what it searched for, as one line of at most 200 characters. It returns "" for other calls and for records
// without arguments.
func (r *Record) Ran() string {
	if r.ServerName != "" || r.ToolName == "" || len(r.Arguments) == 0 {
		return ""
	}
	var in map[string]json.RawMessage
	if json.Unmarshal(r.Arguments, &in) != nil {
		return ""
	}
	for _, key := range ranKeys {
		if line := oneLine(in[key]); line != "" {
			return line
		}
	}
	return ""
}

// oneLine returns a JSON string, or a list of strings, as one line of at most [mostRan] characters. It returns "" for
// other values.
func oneLine(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		var words []string
		if json.Unmarshal(value, &words) != nil {
			return ""
		}
		text = strings.Join(words, " ")
	}
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > mostRan {
		return string(line[:mostRan-1]) + "…"
	}
	return string(line)
}
