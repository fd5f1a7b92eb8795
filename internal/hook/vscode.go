package hook

import (
	"strings"

	"mcpproxy/internal/agent"
)

// vscode is the agent of Visual Studio Code. It shares its folders with Copilot CLI, so each of
// them also runs the other's hooks.
//
// Source: the hooks page of the documentation of Visual Studio Code (a preview).
var vscode = &dialect{
	name:   agent.VSCode,
	events: copilotEvents,
	fields: copilotFields,
	split:  copilotTool,
	finish: copilotOrCode,
	asks:   always,
	tell:   copilotReply,
}

// codePrefix is how many characters of a server's name VS Code keeps in tool names.
const codePrefix = 13

// codeTool splits mcp_server_tool, in which the server's name is in lower case and may be
// truncated.
func codeTool(tool string, servers []string) (string, string) {
	rest, ok := strings.CutPrefix(tool, "mcp_")
	if !ok {
		return "", tool
	}
	best, name := "", ""
	for _, s := range servers {
		spelt := strings.ToLower(spelling(s))
		spelt = spelt[:min(len(spelt), codePrefix)]
		if after, ok := strings.CutPrefix(rest, spelt+"_"); ok && spelt != "" && after != "" && len(s) > len(best) {
			best, name = s, after
		}
	}
	if best != "" {
		return best, name
	}
	return single(tool, servers)
}
