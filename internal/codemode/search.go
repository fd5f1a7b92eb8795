package codemode

import (
	_ "embed" // for the definitions
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// The definitions of the tools of code mode.
var (
	//go:embed definitions/search.json
	searchDocument []byte
	//go:embed definitions/execute.json
	executeDocument []byte

	searchDefinition  = wire.MustCompact(searchDocument)
	executeDefinition = wire.MustCompact(executeDocument)
)

// Tools returns the definitions of code mode's tools. It returns none while code mode is off.
func (h *Host) Tools() []json.RawMessage {
	if !h.Enabled() {
		return nil
	}
	return []json.RawMessage{searchDefinition, executeDefinition}
}

// maxFound limits the tools in one answer.
const maxFound = 200

// Search answers the search tool with text for the agent. It only considers tools for which may
// returns true. The error says what is wrong with args.
func (h *Host) Search(args []byte, may func(*mcpproxy.Tool) bool) (string, error) {
	in := struct {
		Query, Server, Detail string
		Limit                 int
	}{Detail: "signatures", Limit: 20}
	members, err := wire.Members(args, "query", "server", "detail", "limit")
	if err != nil && len(args) > 0 {
		return "", err
	}
	for name, into := range map[string]any{
		"query":  &in.Query,
		"server": &in.Server,
		"detail": &in.Detail,
		"limit":  &in.Limit,
	} {
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
		h.Engine.Prepare() // an agent that searches for tools is about to write a script
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

// find returns the tools that match a query, best first, or all tools. Total is the number of
// matches. Tools for which may returns false are ignored.
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
