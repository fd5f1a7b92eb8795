package connect

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/settings"
)

// variables is how an agent's settings name variables.
type variables int

const (
	literal variables = iota // not at all
	braces                   // ${NAME} and ${NAME:-default}
	dollars                  // $NAME too
	editor                   // ${env:NAME}, ${input:ID}, ${workspaceFolder}, ${userHome}; ${NAME}
	curly                    // {env:NAME} and {file:PATH}
)

var patterns = map[variables]func() *regexp.Regexp{
	braces:  lazyregexp.New(`\$\{[^{}]*\}`),
	dollars: lazyregexp.New(`\$\{[^{}]*\}|\$[A-Za-z_][A-Za-z0-9_]*`),
	editor:  lazyregexp.New(`\$\{[^{}]*\}`),
	curly:   lazyregexp.New(`\{(?:env|file):[^{}]*\}`),
}

var plainName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ours is a value with the variables in it as this program's configuration names
// them. Problem says which has no counterpart; "" for none.
func (v variables) ours(s string, env settings.Env) (out, problem string) {
	pattern := patterns[v]
	if pattern == nil || !strings.ContainsAny(s, "${") {
		return s, ""
	}
	return pattern().ReplaceAllStringFunc(s, func(ref string) string {
		name := strings.TrimSuffix(strings.TrimLeft(ref, "${"), "}")
		if rest, ok := strings.CutPrefix(name, "env:"); ok {
			name = rest
		} else if v == curly {
			return "$" + ref // a file
		}
		name, usual, has := strings.Cut(name, ":-")
		switch {
		case has && env.Getenv(name) == "": // a default cannot be said
			return usual
		case v == editor && strings.HasPrefix(name, "workspaceFolder") && !strings.Contains(name, ":"):
			if name == "workspaceFolderBasename" {
				return filepath.Base(env.Project)
			}
			return env.Project
		case v == editor && name == "userHome":
			return env.Home
		case v == editor && name == "pathSeparator", v == editor && name == "/":
			return string(filepath.Separator)
		case plainName().MatchString(name):
			return "${env:" + name + "}"
		}
		if problem == "" {
			problem = fmt.Sprintf("%s has no counterpart here: enter the server by hand, with ${env:NAME}, ${file:PATH} or ${keyring:NAME} in its place", ref)
		}
		return ref
	}), problem
}
