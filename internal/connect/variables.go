package connect

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/settings"
)

// patterns find the variables in a value.
var patterns = map[agent.Variables]func() *regexp.Regexp{
	agent.Braces:  lazyregexp.New(`\$\{[^{}]*\}`),
	agent.Dollars: lazyregexp.New(`\$\{[^{}]*\}|\$[A-Za-z_][A-Za-z0-9_]*`),
	agent.Editor:  lazyregexp.New(`\$\{[^{}]*\}`),
	agent.Curly:   lazyregexp.New(`\{(?:env|file):[^{}]*\}`),
}

var plainName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ours returns a value with its variables in the form of mcpproxy's configuration. Problem names a variable that has
// no counterpart there; it is "" if each has one.
func ours(v agent.Variables, s string, env settings.Env) (out, problem string) {
	pattern := patterns[v]
	if pattern == nil || !strings.ContainsAny(s, "${") {
		return s, ""
	}
	return pattern().ReplaceAllStringFunc(s, func(ref string) string {
		name := strings.TrimSuffix(strings.TrimLeft(ref, "${"), "}")
		if rest, ok := strings.CutPrefix(name, "env:"); ok {
			name = rest
		} else if v == agent.Curly {
			return "$" + ref // variables that are replaced by the content of a file
		}
		name, usual, has := strings.Cut(name, ":-")
		switch {
		case has && env.Getenv(name) == "": // a default value has no counterpart
			return usual
		case v == agent.Editor && strings.HasPrefix(name, "workspaceFolder") && !strings.Contains(name, ":"):
			if name == "workspaceFolderBasename" {
				return filepath.Base(env.Project)
			}
			return env.Project
		case v == agent.Editor && name == "userHome":
			return env.Home
		case v == agent.Editor && name == "pathSeparator", v == agent.Editor && name == "/":
			return string(filepath.Separator)
		case plainName().MatchString(name):
			return "${env:" + name + "}"
		}
		if problem == "" {
			problem = fmt.Sprintf(
				"%s has no counterpart here: enter the server by hand, with ${env:NAME}, ${file:PATH} or ${keyring:NAME} in its place",
				ref,
			)
		}
		return ref
	}), problem
}
