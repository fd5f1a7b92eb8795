package install

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"mcpproxy/internal/settings"
)

// format is how an agent writes hooks.
type format interface {
	// install is the file with our hooks in it; raw is nil when there is none.
	install(p Place, raw []byte, c Command) ([]byte, error)
	// uninstall is the file without them, and nil when nothing is left that
	// anybody would miss. What holds none of ours comes back as it is.
	uninstall(p Place, raw []byte) ([]byte, error)
	// commands are the command lines of ours in the file, by event.
	commands(p Place, raw []byte) (map[string]string, error)
}

// nested is the format of Claude Code and those who follow it: an event is a list
// of groups, a group a matcher and a list of hooks.
type nested struct {
	matcher string         // "" for an agent that has another way to say everything
	timeout int            // in the agent's unit
	less    map[string]int // the timeouts of events to which the agent gives less
}

func (n nested) entry(a *agent, e event, c Command) any {
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
		Async   bool   `json:"async,omitempty"`
	}
	group := struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []hook `json:"hooks"`
	}{Hooks: []hook{{"command", c.line(a.name, e.name), n.of(e), e.async}}}
	if e.tools {
		group.Matcher = n.matcher
	}
	return group
}

// of is the timeout of an event.
func (n nested) of(e event) int {
	if less, ok := n.less[e.name]; ok {
		return less
	}
	return n.timeout
}

func (n nested) install(p Place, raw []byte, c Command) ([]byte, error) {
	return installJSON(p, raw, "", func(e event) any { return n.entry(p.agent, e, c) })
}
func (n nested) uninstall(p Place, raw []byte) ([]byte, error) { return uninstallJSON(p, raw) }
func (n nested) commands(p Place, raw []byte) (map[string]string, error) {
	return commandsJSON(p, raw)
}

// flat is the format of Copilot CLI, VS Code and Cursor: an event is a list of
// hooks.
type flat struct{ copilot bool }

func (f flat) entry(a *agent, e event, c Command) any {
	if f.copilot { // VS Code takes "bash" for every system but Windows
		return struct {
			Type    string `json:"type"`
			Bash    string `json:"bash"`
			Timeout int    `json:"timeoutSec"`
		}{"command", c.line("copilot", e.name), seconds}
	}
	return struct {
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}{c.line(a.name, e.name), seconds}
}

func (f flat) install(p Place, raw []byte, c Command) ([]byte, error) {
	return installJSON(p, raw, "1", func(e event) any { return f.entry(p.agent, e, c) })
}
func (f flat) uninstall(p Place, raw []byte) ([]byte, error) { return uninstallJSON(p, raw) }
func (f flat) commands(p Place, raw []byte) (map[string]string, error) {
	return commandsJSON(p, raw)
}

// plugin is the format of opencode: a file of JavaScript that is all ours.
type plugin struct{}

//go:embed opencode.js
var pluginSource string

// pluginMark begins the line that names the command.
const pluginMark = "const command = "

func (plugin) install(p Place, raw []byte, c Command) ([]byte, error) {
	if raw != nil && !isPlugin(raw) {
		return nil, fmt.Errorf("%s is not ours; nothing was changed", p.Path)
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

func (plugin) commands(_ Place, raw []byte) (map[string]string, error) {
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
	return map[string]string{"tool.execute.before": c.line("opencode", "tool.execute.before")}, nil
}

func isPlugin(raw []byte) bool {
	first, _, _ := strings.Cut(pluginSource, "\n")
	return strings.HasPrefix(string(raw), first+"\n") && strings.Contains(string(raw), "\n"+pluginMark)
}

// installJSON sees to it that every event has our entry once, and no other
// event has one. version is written into a file that is new.
func installJSON(p Place, raw []byte, version string, entry func(event) any) ([]byte, error) {
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
	for _, e := range p.agent.events {
		wanted[e.name] = true
		if err := put(f, hooks.(*hujson.Object), e.name, entry(e)); err != nil {
			return nil, err
		}
	}
	if err := strip(f, hooks.(*hujson.Object), func(name string) bool { return !wanted[name] }); err != nil {
		return nil, err
	}
	return f.Bytes(), nil
}

// put makes entry our one entry of an event.
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
	if i := f.Index(f.Object, "hooks"); before > 0 && len(hooks.Members) == 0 && !settings.Commented(f.Object.Members[i]) {
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
