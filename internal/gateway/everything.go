package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// everything is the toolset of /mcp/all. It lists every tool as server__tool.
type everything struct{ g *Gateway }

func newEverything(g *Gateway) endpoint { return &ownEndpoint{g, &everything{g}} }

func (e *everything) instructions(c *caller) string {
	said := "Every tool of every connected server, named server__tool. Calls are checked by mcpproxy: a call that would carry private data to an outside destination is stopped, and the answer says why."
	if shared := sharedNames(e.g.permitted(c, e.g.catalog.All())); shared != "" {
		said += " Tools of the same name on several servers are not the same tool: " + shared + "."
	}
	return said
}

// maxShared limits the shared names in the instructions.
const maxShared = 10

// sharedNames lists the tools whose names several servers use, by their full names. A server chooses
// its tools' names, so they are quoted and their number is limited. It returns "" if no name is shared.
func sharedNames(tools []*mcpproxy.Tool) string {
	owners := map[string][]string{}
	for _, t := range tools {
		owners[t.Name] = append(owners[t.Name], fmt.Sprintf("%+q", fullName(t)))
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(owners)) {
		if len(owners[name]) > 1 {
			out = append(out, strings.Join(owners[name], " and "))
		}
	}
	if more := len(out) - maxShared; more > 0 {
		out = append(out[:maxShared], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}

func (e *everything) tools(c *caller) []json.RawMessage {
	all := e.g.permitted(c, e.g.catalog.All())
	out := make([]json.RawMessage, len(all))
	for i, t := range all {
		out[i] = wire.Set(t.Raw, wire.Quote(fullName(t)), "name")
	}
	return out
}

// The maximum length of a tool name that model providers accept, in characters, and the number of
// hash digits at the end of a shortened name.
const (
	maxToolName = 64
	nameDigits  = 8
)

// fullName returns a tool's name in /mcp/all: server__tool. A name that providers would refuse is
// shortened and ends in a hash of the whole name, from which [everything.find] recognizes the tool.
func fullName(t *mcpproxy.Tool) string {
	name := t.Server + "__" + t.Name
	runes := []rune(name)
	if len(runes) <= maxToolName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return string(runes[:maxToolName-nameDigits-1]) + "_" + hex.EncodeToString(sum[:nameDigits/2])
}

func (e *everything) call(ctx context.Context, c *caller, m *wire.Message) *wire.Message {
	name := wire.String(m.Params, "name")
	server, tool, _ := strings.Cut(name, "__")
	unread := e.g.awaitTools(ctx, c, server, tool)
	server, tool, ok := e.find(name)
	if !ok {
		server, tool, _ = strings.Cut(name, "__")
		if refused, ok := e.g.refuseHeld(ctx, c, m, server, tool); ok {
			return refused // do not reveal whether a forbidden tool exists
		}
		return unknownTool(c, m, e, name, unread)
	}
	return e.g.callServerTool(ctx, c, m, server, wire.Set(m.Params, wire.Quote(tool), "name"), mcpproxy.Intent{})
}

func (e *everything) names(name, _ string) (server, tool string) {
	if server, tool, ok := e.find(name); ok {
		return server, tool
	}
	if server, tool, ok := strings.Cut(name, "__"); ok {
		return server, tool
	}
	return "", name
}

func (e *everything) hint(c *caller, name string) string {
	if server, tool, ok := strings.Cut(name, "__"); ok {
		if absent := e.g.absent(c, server, tool); absent != "" {
			return absent
		}
	}
	if near := e.g.nearest(c, strings.Replace(name, "__", ":", 1)); near != "" {
		return fmt.Sprintf("Did you mean %q?", strings.Replace(near, ":", "__", 1))
	}
	return ""
}

// find tries every position of the separator, because server and tool names may contain it
// themselves. A tool whose definition is held is found only if no other tool matches; the gate then
// says why it cannot be called.
func (e *everything) find(name string) (server, tool string, ok bool) {
	for i := 0; i+2 < len(name); i++ {
		if name[i:i+2] != "__" {
			continue
		}
		if _, listed := e.g.catalog.Tool(name[:i], name[i+2:]); listed {
			return name[:i], name[i+2:], true
		}
		if !ok && e.g.filter.Holds(name[:i], name[i+2:]) {
			server = name[:i]
			tool = name[i+2:]
			ok = true
		}
	}
	if !ok && utf8.RuneCountInString(name) == maxToolName {
		for _, t := range e.g.catalog.All() {
			if fullName(t) == name {
				return t.Server, t.Name, true
			}
		}
	}
	return server, tool, ok
}
