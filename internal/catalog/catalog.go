// Package catalog is the index of the tools that agents may use. It lists them in a stable order, finds them by name,
// ranks them for a query (BM25), and suggests the nearest name for a wrong one.
//
// Only a tool that was added to the catalogue can be listed, found or called.
package catalog

import (
	"encoding/json"
	"slices"
	"sync"

	strict "github.com/go-json-experiment/json"

	"mcpproxy"
	"mcpproxy/internal/suggest"
)

// Catalog holds tools by server. It is safe for concurrent use.
type Catalog struct {
	mu     sync.RWMutex
	server map[string][]*mcpproxy.Tool
	index  *index // nil if it must be built again
}

// New returns an empty catalogue.
func New() *Catalog { return &Catalog{server: map[string][]*mcpproxy.Tool{}} }

// Parse reads one tool definition strictly. The tool contains raw unchanged.
func Parse(server string, raw json.RawMessage) (*mcpproxy.Tool, error) {
	var t struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations struct {
			ReadOnly    *bool `json:"readOnlyHint"`
			Destructive *bool `json:"destructiveHint"`
			OpenWorld   *bool `json:"openWorldHint"`
		} `json:"annotations"`
	}
	// Other parsers may ignore the case of names, or take the last of two equal names. They must not see another tool
	// than this one.
	if err := strict.Unmarshal(raw, &t, strict.MatchCaseInsensitiveNames(true)); err != nil {
		return nil, err
	}
	return &mcpproxy.Tool{
		Server:      server,
		Name:        t.Name,
		Description: t.Description,
		Raw:         raw,
		InputSchema: t.InputSchema,
		ReadOnly:    t.Annotations.ReadOnly,
		Destructive: t.Annotations.Destructive,
		OpenWorld:   t.Annotations.OpenWorld,
	}, nil
}

// Set replaces the tools of a server. It reports whether anything changed, and how many definitions were omitted
// because they are unreadable or repeat a name.
func (c *Catalog) Set(server string, raws []json.RawMessage) (changed bool, refused int) {
	tools := make([]*mcpproxy.Tool, 0, len(raws))
	seen := map[string]bool{}
	for _, raw := range raws {
		t, err := Parse(server, raw)
		if err != nil || t.Name == "" || seen[t.Name] {
			refused++
			continue
		}
		seen[t.Name] = true
		tools = append(tools, t)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(server, tools)
	same := slices.EqualFunc(
		c.server[server],
		tools,
		func(a, b *mcpproxy.Tool) bool { return string(a.Raw) == string(b.Raw) },
	)
	c.server[server] = tools
	if !same {
		c.index = nil
	}
	return !same, refused
}

// keep replaces new values with the existing ones of the server if their definitions are equal byte for byte. So the
// values that are cached beside a tool are not lost. The caller holds the lock.
func (c *Catalog) keep(server string, tools []*mcpproxy.Tool) {
	had := make(map[string]*mcpproxy.Tool, len(c.server[server]))
	for _, t := range c.server[server] {
		had[t.Name] = t
	}
	for i, t := range tools {
		if old := had[t.Name]; old != nil && string(old.Raw) == string(t.Raw) {
			tools[i] = old
		}
	}
}

// Drop removes a server's tools.
func (c *Catalog) Drop(server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.server, server)
	c.index = nil
}

// All returns every tool. Servers are sorted by name; the tools of a server keep its own order.
func (c *Catalog) All() []*mcpproxy.Tool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.all()
}

func (c *Catalog) all() []*mcpproxy.Tool {
	names := make([]string, 0, len(c.server))
	for name := range c.server {
		names = append(names, name)
	}
	slices.Sort(names)
	var all []*mcpproxy.Tool
	for _, name := range names {
		all = append(all, c.server[name]...)
	}
	return all
}

// Of returns the tools of one server.
func (c *Catalog) Of(server string) []*mcpproxy.Tool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.server[server]
}

// Tool finds a tool by server and name.
func (c *Catalog) Tool(server, name string) (*mcpproxy.Tool, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, t := range c.server[server] {
		if t.Name == name {
			return t, true
		}
	}
	return nil, false
}

// Nearest returns the tool most similar to name, as "server:tool". Name may lack the server. Nearest returns "" if no
// tool is similar.
func (c *Catalog) Nearest(name string) string {
	var names []string
	full := map[string]string{}
	for _, t := range c.All() {
		for _, n := range []string{t.Server + ":" + t.Name, t.Name} {
			names = append(names, n)
			full[n] = t.Server + ":" + t.Name
		}
	}
	return full[suggest.Nearest(name, names)]
}
