package codemode

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

const (
	searchDefinition  = `{"name":"search","title":"Find tools for a script","description":"Finds the tools that a script can call with forge.callTool, as TypeScript. Begin with detail names, then ask for signatures or full of those that matter.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What the tools should do, in a few words; all tools when empty"},"server":{"type":"string","description":"Only tools of this server"},"detail":{"type":"string","enum":["names","signatures","full"],"default":"signatures","description":"names; with types and a line about each; or with everything that is said about them"},"limit":{"type":"integer","description":"How many tools to return, 1 to 200","default":20}}},"annotations":{"readOnlyHint":true}}`
	executeDefinition = `{"name":"execute","title":"Run a script","description":"Runs TypeScript or JavaScript in a sandbox: an async function, or a body that may use await and return. It calls tools with await forge.callTool(server, tool, args) or forge.server(name).tool(args); reads resources with forge.readResource(server, uri); runs calls side by side with forge.parallel([() => …], {concurrency, failFast}), which gives {ok, value} or {ok, error} for each; keeps values for later scripts with forge.stash.put/get/delete/keys. Results are plain values; a failed call throws an error with code, message, retryable and suggested_fix. Returns what the script returns, with what it printed by console.log. There is no network, file or timer. Find tools with search.","inputSchema":{"type":"object","properties":{"code":{"type":"string","description":"The script, such as: async () => { const x = await forge.callTool('files', 'read', {path: 'a'}); return x.length }"},"script":{"type":"string","description":"Instead of code: the name of a stored script, which search lists"}}}}`
)

// Tools are the definitions of code mode's own tools; none while it is off.
func (h *Host) Tools() []json.RawMessage {
	if !h.Enabled() {
		return nil
	}
	return []json.RawMessage{json.RawMessage(searchDefinition), json.RawMessage(executeDefinition)}
}

// maxFound bounds the tools of one answer.
const maxFound = 200

// Search answers the search tool: the text for the agent, about the tools for which
// may holds. The error says what is wrong with args.
func (h *Host) Search(args []byte, may func(*mcpproxy.Tool) bool) (string, error) {
	in := struct {
		Query, Server, Detail string
		Limit                 int
	}{Detail: "signatures", Limit: 20}
	members, err := wire.Members(args, "query", "server", "detail", "limit")
	if err != nil && len(args) > 0 {
		return "", err
	}
	for name, into := range map[string]any{"query": &in.Query, "server": &in.Server, "detail": &in.Detail, "limit": &in.Limit} {
		if raw := members[name]; raw != nil && json.Unmarshal(raw, into) != nil {
			return "", fmt.Errorf("%s has a wrong type", name)
		}
	}
	if in.Limit < 1 || in.Limit > maxFound {
		return "", fmt.Errorf("limit must be a whole number from 1 to %d", maxFound)
	}
	show := map[string]func(*mcpproxy.Tool) string{"names": nameOnly, "signatures": signature, "full": declaration}[in.Detail]
	if show == nil {
		return "", fmt.Errorf("detail must be names, signatures or full")
	}
	if h.Enabled() {
		h.Engine.Prepare() // whoever looks for tools is about to write a script
	}
	found, total := h.find(in.Query, in.Server, may)
	var b strings.Builder
	fmt.Fprintf(&b, "// %d of %d tools\n", min(in.Limit, len(found)), total)
	if stored := h.StoredScripts(); len(stored) > 0 && in.Query == "" && in.Server == "" {
		fmt.Fprintf(&b, "// stored scripts, for execute {script}: %s\n", strings.Join(stored, ", "))
	}
	server := ""
	for _, t := range found[:min(in.Limit, len(found))] {
		if t.Server != server {
			server = t.Server
			fmt.Fprintf(&b, "\n// forge.server(%s)\n", quoted(server))
		}
		b.WriteString(show(t))
	}
	return b.String(), nil
}

// find are the tools that answer a query, best first, or all; total is how many there
// are. Those for which may does not hold are not there.
func (h *Host) find(query, server string, may func(*mcpproxy.Tool) bool) (found []*mcpproxy.Tool, total int) {
	all := slices.DeleteFunc(slices.Clone(h.Catalog.All()), func(t *mcpproxy.Tool) bool { return !may(t) })
	if strings.TrimSpace(query) == "" {
		found = slices.Clone(all)
	} else {
		for _, hit := range h.Catalog.Search(query, len(h.Catalog.All())) {
			if may(hit.Tool) {
				found = append(found, hit.Tool)
			}
		}
	}
	if server != "" {
		found = slices.DeleteFunc(found, func(t *mcpproxy.Tool) bool { return t.Server != server })
	}
	return found, len(all)
}
