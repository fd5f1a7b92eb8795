package classify

import (
	"strings"
	"sync"
	"unicode"

	"mcpproxy"
)

// agentTool is what a tool does that an agent brings itself.
type agentTool struct {
	side      mcpproxy.Side
	operation mcpproxy.Operation
}

// agentTools are the tools that agents bring themselves (spec-027, FR-002 and
// FR-003), under the names of today's agents: those of Claude Code and its SDK,
// Codex, Gemini CLI, Copilot CLI, Cursor, Goose, VS Code and opencode. Names are
// compared by their letters and digits alone, since agents differ in nothing else:
// WebFetch, web_fetch, webfetch.
var agentTools = sync.OnceValue(func() map[string]agentTool {
	return tools(map[agentTool]string{
		{mcpproxy.Internal, mcpproxy.Read}: `
		read readfile readmanyfiles view viewimage readimage getfile openfile showfile
		ls list listdir listdirectory glob filesearch findfiles tree
		grep rg grepsearch grepfiles searchfilecontent codebasesearch semanticsearch findtextinfiles listcodeusages usages codesearchlocal lsp
		lspdiagnostics lsphover readlints getdiagnostics geterrors problems getchangedfiles analyze
		notebookread readnotebookcelloutput getnotebooksummary copilotgetnotebooksummary
		bashoutput readbash listbash taskoutput getterminaloutput terminallastcommand terminalselection readpowershell listpowershell
		todoread taskget tasklist toolsearch searchtools listmcpresources listmcpresourcestool listmcpresourcetemplates fetchrules getinternaldocs
		fetchcopilotclidocumentation getvscodeapi getprojectsetupinfo testfailure testsearch`,
		{mcpproxy.Internal, mcpproxy.Write}: `
		write writefile create createfile createdirectory edit editfile editfiles multiedit replace searchreplace strreplace strreplaceeditor
		replacestringinfile multireplacestringinfile inserteditintofile applypatch patch texteditor notebookedit editnotebook editnotebookfile
		editjupyternotebook createnewjupyternotebook newjupyternotebook delete deletefile
		todowrite writetodos updatetodo updatetodos managetodolist todos updateplan taskcreate taskupdate taskstop stopbash stoppowershell
		killbash killshell killterminal savememory storememory memory reportintent enterplanmode exitplanmode enterworktree exitworktree
		switchmode askuser askuserquestion askquestion askquestions question requestuserinput thinking think sleep wait
		croncreate crondelete cronlist schedulewakeup createandruntask`,
		{mcpproxy.Internal, mcpproxy.UnknownOperation}: `
		task agent subagent runsubagent delegate delegatetoagent dynamictask spawnagent sendinput closeagent resumeagent waitagent sendmessage teamcreate teamdelete
		skill activateskill slashcommand loadskill readmcpresource readmcpresourcetool batch sql executesql`,
		// A shell's command is read on its own (classify/shell), and decides.
		{mcpproxy.Hybrid, mcpproxy.UnknownOperation}: `
		bash bashtool shell localshell localshellcall shellcommand execcommand unifiedexec container exec writestdin writebash writepowershell powershell pwsh
		runshellcommand runterminalcmd runterminalcommand runinterminal runcommand runcommands terminal monitor runtask runvscodecommand developershell
		automationscript computercontrol runnotebookcell executecode codeexecution pythonexecute javascriptexecute repl evaluate`,
		{mcpproxy.External, mcpproxy.Read}: `
		webfetch fetch fetchwebpage fetchurl browse openurl opensimplebrowser webscrape githubrepo
		websearch googlewebsearch searchweb codesearch webcrawl xsearch`,
		{mcpproxy.External, mcpproxy.Write}: `
		pushnotification sharefile`,
	})
})

// tools turns lists of names into a table by name.
func tools(lists map[agentTool]string) map[string]agentTool {
	table := map[string]agentTool{}
	for tool, names := range lists {
		for _, name := range strings.Fields(names) {
			table[name] = tool
		}
	}
	return table
}

// extensions begin the names of tools that agents bring as extensions of their
// own: Goose's.
var extensions = []string{"developer__", "computercontroller__", "memory__", "todo__", "platform__"}

// agentName is a tool's name as it stands in the table.
func agentName(name string) string {
	for _, e := range extensions {
		name = strings.TrimPrefix(name, e)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// overMCP splits a name of the form mcp__server__tool.
func overMCP(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "__")
}

// AgentTool classifies an agent's own tool, or one it reaches over MCP under a
// name of the form mcp__server__tool (FR-006). A tool of an agent that is not
// listed is judged by its name, like one of a server that says nothing.
func (c *Classifier) AgentTool(name string) mcpproxy.Class {
	if server, tool, ok := overMCP(name); ok {
		return c.Tool(server, tool, nil)
	}
	if side, ok := c.ToolOverrides[name]; ok {
		return class(side, 1, mcpproxy.ByConfig)
	}
	if t, ok := agentTools()[agentName(name)]; ok {
		return class(t.side, 0.95, mcpproxy.ByHeuristic)
	}
	return c.Tool("", name, nil)
}

// AgentOperation says what an agent's own tool does to the world. Such a tool
// never counts as destructive: what an agent may delete on its user's machine is
// between the two, and security.tool_policy is about servers.
func (c *Classifier) AgentOperation(name string) mcpproxy.Operation {
	if _, tool, ok := overMCP(name); ok {
		return c.Operation(tool, nil, nil)
	}
	if t, ok := agentTools()[agentName(name)]; ok {
		return t.operation
	}
	if op := c.Operation(name, nil, nil); op != mcpproxy.Destructive {
		return op
	}
	return mcpproxy.Write
}
