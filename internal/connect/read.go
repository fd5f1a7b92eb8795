package connect

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/settings"
)

// lists are the known names of the member of a JSON file that contains servers.
var lists = []struct {
	keys      []string
	variables agent.Variables
}{
	{[]string{"mcpServers"}, agent.Editor},
	{[]string{"servers"}, agent.Editor},
	{[]string{"mcp", "servers"}, agent.Editor},
	{[]string{"mcp"}, agent.Curly},
	{[]string{"context_servers"}, agent.Literal},
}

// ReadFile returns the servers in a file, including this proxy. The file may have the form of any
// agent; ReadFile recognises the form by the name's ending and the members.
func ReadFile(env settings.Env, path string) ([]Server, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	raw, err := settings.Read(path)
	if err == nil && raw == nil {
		err = fmt.Errorf("the file %s does not exist", path)
	}
	if err != nil {
		return nil, err
	}
	p := Place{Path: path, env: env, agent: &agent.Agent{Servers: &agent.Servers{}}}
	switch p.form().(type) {
	case tomlForm, yamlForm:
		return p.Servers()
	}
	f, err := settings.Parse(path, raw)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, l := range lists {
		if has(f.Object, l.keys) {
			p.keys, p.agent.Servers.Variables = l.keys, l.variables
			return p.Servers()
		}
		known = append(known, strings.Join(l.keys, "."))
	}
	return nil, fmt.Errorf("%s contains no MCP servers: it has none of the members %s", path, strings.Join(known, ", "))
}

func has(object *hujson.Object, keys []string) bool {
	v := hujson.Value{Value: object}
	for _, key := range keys {
		if v.Value = settings.Member(v, key); v.Value == nil {
			return false
		}
	}
	_, ok := v.Value.(*hujson.Object)
	return ok
}
