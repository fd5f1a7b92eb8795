package install

import (
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/agent"
)

// Hooked returns the agents that have a hook in one of the files, even if another program installed
// the hook.
func Hooked(env Env, files []string) []string {
	var names []string
	for _, a := range agent.WithHooks() {
		if slices.ContainsFunc(files, func(file string) bool { return hasHook(env, a, file) }) {
			names = append(names, a.Name)
		}
	}
	return names
}

// hasHook reports whether one of the agent's files for hooks contains a hook.
func hasHook(env Env, a *agent.Agent, file string) bool {
	for _, scope := range Scopes {
		at := env
		if scope != User {
			base, ok := strings.CutSuffix(file, string(filepath.Separator)+filepath.FromSlash(a.Hooks.Files[scope]))
			if !ok {
				continue
			}
			at.Project = base
		}
		if p, err := At(at, a.Name, scope); err == nil && p.Path == file && p.Status().Installed != "no" {
			return true
		}
	}
	return false
}
