package install

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/agent"
)

// Guarded returns the files in which the hooks of agents can be switched off, for the agents that
// have a hook in one of the files. They are absolute paths of the user's files, and path suffixes
// for the files of any project. The last element may be a pattern.
func Guarded(env Env, files []string) []string {
	var places []string
	for _, a := range agent.WithHooks() {
		if !slices.ContainsFunc(files, func(file string) bool { return keepsHooksIn(env, a, file) }) {
			continue
		}
		for _, scope := range Scopes {
			list := a.Hooks.Switches[scope]
			if file := a.Hooks.Files[scope]; file != "" {
				list = append([]string{file}, list...)
			}
			for _, file := range list {
				if scope == User {
					file = filepath.Join(env.Folder(a.HookFolder()), filepath.FromSlash(file))
				}
				places = append(places, file)
			}
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// keepsHooksIn reports whether a file is one of the agent's files for hooks.
func keepsHooksIn(env Env, a *agent.Agent, file string) bool {
	if file == filepath.Join(env.Folder(a.HookFolder()), filepath.FromSlash(a.Hooks.Files[User])) {
		return true
	}
	return slices.ContainsFunc([]Scope{Project, Local}, func(s Scope) bool {
		end := a.Hooks.Files[s]
		return end != "" && strings.HasSuffix(path.Clean(filepath.ToSlash(file)), "/"+end)
	})
}
