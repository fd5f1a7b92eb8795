package install

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/settings"
)

// format reads and writes the hooks of one kind of settings file.
type format interface {
	// install returns the file with our hooks in it; raw is nil if the file does not exist.
	install(p Place, raw []byte, c Command) ([]byte, error)
	// uninstall returns the file without our hooks, or nil if the rest is empty. A file without our
	// hooks is returned unchanged.
	uninstall(p Place, raw []byte) ([]byte, error)
	// commands returns our command lines in the file, by event.
	commands(p Place, raw []byte) (map[string]string, error)
}

// seconds is the timeout of a hook in the agent's settings. It is longer than the longest run of a
// hook (Longest in the hook's client), because an agent that ends a hook early continues as if
// there were no hook.
const seconds = 30

// format returns the format of the place's file.
func (p Place) format() format {
	switch p.agent.Hooks.Format {
	case agent.Nested:
		return listed{nestedEntry, ""}
	case agent.Flat:
		return listed{flatEntry, "1"}
	case agent.FlatTyped:
		return listed{flatTypedEntry, "1"}
	case agent.Plugin:
		return plugin{}
	}
	panic("install: " + p.Agent + " has no format") // a test checks that every agent has a format
}

// listed is a JSON format in which an event is a list of entries.
type listed struct {
	entry   func(a *agent.Agent, e agent.Event, c Command) any
	version string // format version written to a new file; "" for none
}

func (l listed) install(p Place, raw []byte, c Command) ([]byte, error) {
	return installJSON(p, raw, l.version, func(e agent.Event) any { return l.entry(p.agent, e, c) })
}
func (listed) uninstall(p Place, raw []byte) ([]byte, error) { return uninstallJSON(p, raw) }
func (listed) commands(p Place, raw []byte) (map[string]string, error) {
	return commandsJSON(p, raw)
}

// nestedEntry returns a group with a matcher and a list of one hook.
func nestedEntry(a *agent.Agent, e agent.Event, c Command) any {
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
		Async   bool   `json:"async,omitempty"`
	}
	group := struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []hook `json:"hooks"`
	}{Hooks: []hook{{"command", c.line(a.HookName(), e.Name), timeout(a, e), e.Async}}}
	if e.Tools {
		group.Matcher = a.Hooks.Matcher
	}
	return group
}

// flatEntry returns an entry with only a command.
func flatEntry(a *agent.Agent, e agent.Event, c Command) any {
	return struct {
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}{c.line(a.HookName(), e.Name), timeout(a, e)}
}

// flatTypedEntry returns a command with its type. VS Code uses "bash" on every system except Windows.
func flatTypedEntry(a *agent.Agent, e agent.Event, c Command) any {
	return struct {
		Type    string `json:"type"`
		Bash    string `json:"bash"`
		Timeout int    `json:"timeoutSec"`
	}{"command", c.line(a.HookName(), e.Name), timeout(a, e)}
}

// timeout returns the timeout of the hook of an event, in the agent's unit.
func timeout(a *agent.Agent, e agent.Event) int {
	n := seconds
	if a.Hooks.Milliseconds {
		n *= 1000
	}
	if e.Limit > 0 {
		n = min(n, e.Limit)
	}
	return n
}

// plugin is the format of opencode: a JavaScript file that mcpproxy owns entirely.
type plugin struct{}

//go:embed opencode.js
var pluginSource string

// pluginMark begins the line that contains the command.
const pluginMark = "const command = "

// pluginEvent represents the events that the plugin forwards.
const pluginEvent = "tool.execute.before"

func (plugin) install(p Place, raw []byte, c Command) ([]byte, error) {
	if raw != nil && !isPlugin(raw) {
		return nil, fmt.Errorf("%s was not written by mcpproxy; nothing was changed", p.Path)
	}
	words, err := json.Marshal(c.prefix())
	if err != nil {
		return nil, err
	}
	before, after, _ := strings.Cut(pluginSource, pluginMark)
	_, after, _ = strings.Cut(after, "\n")
	return []byte(before + pluginMark + string(words) + ";\n" + after), nil
}

func (plugin) uninstall(_ Place, raw []byte) ([]byte, error) {
	if isPlugin(raw) {
		return nil, nil
	}
	return raw, nil
}

func (plugin) commands(p Place, raw []byte) (map[string]string, error) {
	if !isPlugin(raw) {
		return nil, nil
	}
	_, line, _ := strings.Cut(string(raw), pluginMark)
	line, _, _ = strings.Cut(line, ";\n")
	var words []string
	if json.Unmarshal([]byte(line), &words) != nil || len(words) == 0 {
		return nil, nil
	}
	c := Command{Path: words[0], Args: words[1:]}
	return map[string]string{pluginEvent: c.line(p.agent.HookName(), pluginEvent)}, nil
}

func isPlugin(raw []byte) bool {
	first, _, _ := strings.Cut(pluginSource, "\n")
	return strings.HasPrefix(string(raw), first+"\n") && strings.Contains(string(raw), "\n"+pluginMark)
}

// installJSON makes sure that each of our events has our entry exactly once, and that other events
// have no entry of ours. Version is written into a new file.
func installJSON(p Place, raw []byte, version string, entry func(agent.Event) any) ([]byte, error) {
	f, err := settings.Parse(p.Path, raw)
	if err != nil {
		return nil, err
	}
	if version != "" && len(f.Object.Members) == 0 {
		f.Add(f.Object, 0, "version", json.RawMessage(version))
	}
	hooks, err := f.Child(f.Object, "hooks", '{')
	if err != nil {
		return nil, err
	}
	if hooks == nil {
		hooks = f.Add(f.Object, 0, "hooks", json.RawMessage("{}")).(*hujson.Object)
	}
	wanted := map[string]bool{}
	for _, e := range p.agent.Hooks.Events {
		wanted[e.Name] = true
		if err := put(f, hooks.(*hujson.Object), e.Name, entry(e)); err != nil {
			return nil, err
		}
	}
	if err := strip(f, hooks.(*hujson.Object), func(name string) bool { return !wanted[name] }); err != nil {
		return nil, err
	}
	return f.Bytes(), nil
}

// put makes entry our only entry of an event.
func put(f *settings.File, hooks *hujson.Object, event string, entry any) error {
	list, err := f.Child(hooks, event, '[')
	if err != nil {
		return err
	}
	if list == nil {
		list = f.Add(hooks, 1, event, json.RawMessage("[]"))
	}
	array := list.(*hujson.Array)
	have := 0
	same := false
	for _, e := range array.Elements {
		if n := len(ourLines(e)); n > 0 {
			have += n
			same = settings.Minimal(e) == settings.MinimalOf(entry)
		}
	}
	if have == 1 && same {
		return nil
	}
	stripList(f, array)
	f.Add(array, 2, "", entry)
	return nil
}

func uninstallJSON(p Place, raw []byte) ([]byte, error) {
	f, err := settings.Parse(p.Path, raw)
	if err != nil {
		return nil, err
	}
	value, err := f.Child(f.Object, "hooks", '{')
	if err != nil || value == nil {
		return raw, err
	}
	hooks := value.(*hujson.Object)
	before := len(hooks.Members)
	if err := strip(f, hooks, func(string) bool { return true }); err != nil {
		return nil, err
	}
	i := f.Index(f.Object, "hooks")
	if before > 0 && len(hooks.Members) == 0 && !settings.Commented(f.Object.Members[i]) {
		f.Remove(f.Object, i)
	}
	out := f.Bytes()
	if rest := f.Names(); p.own() && (len(rest) == 0 || len(rest) == 1 && rest[0] == "version") {
		return nil, nil
	}
	return out, nil
}

func commandsJSON(p Place, raw []byte) (map[string]string, error) {
	f, err := settings.Parse(p.Path, raw)
	if err != nil {
		return nil, err
	}
	value, err := f.Child(f.Object, "hooks", '{')
	if err != nil || value == nil {
		return nil, err
	}
	found := map[string]string{}
	for _, m := range value.(*hujson.Object).Members {
		array, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for _, e := range array.Elements {
			for _, line := range ourLines(e) {
				found[m.Name.Value.(hujson.Literal).String()] = line
			}
		}
	}
	return found, nil
}
