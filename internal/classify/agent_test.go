package classify_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/classify"
)

// The table lists the tools of common agents under the names that their hooks report.
func TestToolsOfEveryAgentAreKnown(t *testing.T) {
	type want struct {
		side mcpproxy.Side
		op   mcpproxy.Operation
	}
	reads, writes := want{mcpproxy.Internal, mcpproxy.Read}, want{mcpproxy.Internal, mcpproxy.Write}
	works, runs := want{mcpproxy.Internal, mcpproxy.UnknownOperation}, want{mcpproxy.Hybrid, mcpproxy.UnknownOperation}
	asks := want{mcpproxy.External, mcpproxy.Read}
	for agent, tools := range map[string]map[string]want{
		"Claude Code": {
			"Read":            reads,
			"Write":           writes,
			"Edit":            writes,
			"NotebookEdit":    writes,
			"Glob":            reads,
			"Grep":            reads,
			"LS":              reads,
			"Bash":            runs,
			"BashOutput":      reads,
			"KillShell":       writes,
			"WebFetch":        asks,
			"WebSearch":       asks,
			"Task":            works,
			"Agent":           works,
			"TodoWrite":       writes,
			"ExitPlanMode":    writes,
			"AskUserQuestion": writes,
			"Skill":           works,
			"ToolSearch":      reads,
			"PowerShell":      runs,
			"TaskStop":        writes,
		},
		"Codex": {
			"Bash":         runs,
			"exec_command": runs,
			"write_stdin":  runs,
			"apply_patch":  writes,
			"update_plan":  writes,
			"view_image":   reads,
			"web_search":   asks,
		},
		"Gemini CLI": {
			"run_shell_command":   runs,
			"read_file":           reads,
			"read_many_files":     reads,
			"write_file":          writes,
			"replace":             writes,
			"search_file_content": reads,
			"list_directory":      reads,
			"web_fetch":           asks,
			"google_web_search":   asks,
			"save_memory":         writes,
		},
		"Copilot CLI": {
			"bash":               runs,
			"write_bash":         runs,
			"stop_bash":          writes,
			"view":               reads,
			"create":             writes,
			"edit":               writes,
			"str_replace_editor": writes,
			"rg":                 reads,
			"web_fetch":          asks,
			"report_intent":      writes,
		},
		"Cursor": {
			"Shell":            runs,
			"run_terminal_cmd": runs,
			"codebase_search":  reads,
			"search_replace":   writes,
			"delete_file":      writes,
			"Delete":           writes,
			"web_search":       asks,
		},
		"Goose": {
			"developer__shell":                      runs,
			"developer__text_editor":                writes,
			"computercontroller__web_scrape":        asks,
			"computercontroller__automation_script": runs,
			"shell":                                 runs,
		},
		"VS Code": {
			"run_in_terminal":       runs,
			"runInTerminal":         runs,
			"read_file":             reads,
			"insert_edit_into_file": writes,
			"fetch_webpage":         asks,
			"get_terminal_output":   reads,
			"manage_todo_list":      writes,
		},
		"opencode": {
			"bash":      runs,
			"read":      reads,
			"write":     writes,
			"patch":     writes,
			"webfetch":  asks,
			"websearch": asks,
			"task":      works,
			"list":      reads,
		},
	} {
		for tool, w := range tools {
			c := &classify.Classifier{}
			k, op := c.AgentTool(tool), c.AgentOperation(tool)
			if k.Side != w.side || op != w.op || k.Confidence < 0.9 {
				t.Errorf("%s's %s is %+v, %s", agent, tool, k, op)
			}
		}
	}
}

func TestAnAgentsOwnToolIsNeverDestructive(t *testing.T) {
	c := &classify.Classifier{}
	for tool, want := range map[string]mcpproxy.Operation{
		"remove_worktree":          mcpproxy.Write,
		"list_deleted":             mcpproxy.Read,
		"frobnicate":               mcpproxy.UnknownOperation,
		"mcp__files__delete_file":  mcpproxy.Destructive, // a tool of a server, not of the agent
		"mcp__files__read_file":    mcpproxy.Read,
		"mcp__vault__drop_secrets": mcpproxy.Destructive,
	} {
		if op := c.AgentOperation(tool); op != want {
			t.Errorf("%s is %s, want %s", tool, op, want)
		}
	}
}
