package mcpproxy

import (
	"encoding/json"
	"strings"
)

// mostRan is the maximum number of characters that [Record.Ran] returns.
const mostRan = 200

// Ran returns the start of the command line that an agent's own shell tool ran, as one line of at most 200
// characters. It returns "" for other calls and for records without arguments.
func (r *Record) Ran() string {
	if r.ServerName != "" || r.ToolName == "" || len(r.Arguments) == 0 {
		return ""
	}
	var in struct {
		Command json.RawMessage `json:"command"`
		Cmd     json.RawMessage `json:"cmd"` // the name that Codex uses
	}
	if json.Unmarshal(r.Arguments, &in) != nil {
		return ""
	}
	command := in.Command
	if len(command) == 0 {
		command = in.Cmd
	}
	var text string
	if json.Unmarshal(command, &text) != nil {
		var words []string
		if json.Unmarshal(command, &words) != nil {
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
