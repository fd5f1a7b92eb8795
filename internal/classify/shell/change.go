package shell

import (
	"path"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// changers are programs that change the files that they are given. What programs.txt
// knows to be written, and where copies go, is noted besides.
var changers = words("rm rmdir unlink mv ln touch chmod chown chgrp chattr truncate shred ed ex vi vim nvim nano emacs patch sqlite3 sponge " +
	"remove-item move-item set-content add-content out-file clear-content rename-item copy-item new-item ri rd del erase mi sc ac clc rni ren cpi ni")

// inPlace are programs that do so when a flag says it.
var inPlace = words("sed gsed perl ruby awk gawk")

// codeChanges are what code in another language says when it changes files.
var codeChanges = lazyregexp.New(`(?i)["'](?:w|a|x|r\+|w\+|a\+|wb|ab|rb\+)["']|write|unlink|remove|rename|rmtree|truncate|copy|move|replace|file_put_contents|symlink|chmod|open\s+\w+\s*,\s*["']\+?>|\bdump\b|touch|delete`)

// change notes that a file may be written, replaced or removed.
func (m *machine) change(file string) {
	if file == "" || file == "-" {
		return
	}
	if m.dir != "" && !rooted(file) {
		file = path.Join(m.dir, file)
	}
	if len(m.c.Writes) < maxReads && !slices.Contains(m.c.Writes, file) {
		m.c.Writes = append(m.c.Writes, file)
	}
}

// rooted reports whether a path says where it begins.
func rooted(file string) bool {
	return strings.HasPrefix(file, "/") || strings.HasPrefix(file, "~") || strings.HasPrefix(file, "$")
}

// changes notes what a program changes by its arguments, and where it goes.
func (m *machine) changes(program string, args []value) {
	switch name := strings.ToLower(program); {
	case name == "cd" || name == "pushd" || name == "chdir" || name == "set-location":
		m.enter(args)
	case len(serverLists[name]) > 0 && len(args) > 1 && args[0].text == "mcp" && listChanges()[args[1].text]:
		for _, file := range serverLists[name] {
			m.change(file)
		}
	case changers()[name] || inPlace()[name] && slices.ContainsFunc(args, func(a value) bool { return edits(a.text) }):
		for _, a := range args {
			if !strings.HasPrefix(a.text, "-") {
				m.change(a.text)
			}
		}
	case name == "cp" || name == "install" || name == "rsync" || name == "unzip":
		for i, a := range args {
			if into, ok := strings.CutPrefix(a.text, "--target-directory="); ok {
				m.change(into)
			} else if i > 0 && slices.Contains([]string{"-t", "-d", "--target-directory"}, args[i-1].text) {
				m.change(a.text)
			}
		}
	}
}

// serverLists are the files in which an agent's own program names MCP servers.
var serverLists = map[string][]string{
	"claude":  {"~/.claude.json", ".mcp.json"},
	"codex":   {"~/.codex/config.toml"},
	"copilot": {"~/.copilot/mcp-config.json"},
	"gemini":  {"~/.gemini/settings.json", ".gemini/settings.json"},
}

// listChanges are the words behind "mcp" with which it changes them.
var listChanges = words("add add-json add-from-claude-desktop remove enable disable")

// edits reports whether a flag has a program change its files: -i, -i.bak, -pi,
// --in-place.
func edits(flag string) bool {
	return strings.HasPrefix(flag, "--in-place") || flag == "inplace" ||
		strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--") && strings.Contains(flag, "i")
}

// enter follows a change of the folder. Where it cannot be followed, the folder is not
// known.
func (m *machine) enter(args []value) {
	to := "~"
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") {
			to = a.text
		}
	}
	if !rooted(to) && m.dir != "" {
		to = path.Join(m.dir, to)
	}
	if m.dir = to; len(args) > 0 && args[0].text == "-" {
		m.dir = ""
	}
}

// codeWrites notes the paths in code that changes files.
func (m *machine) codeWrites(code string) {
	if !codeChanges().MatchString(code) {
		return
	}
	for _, q := range quoted().FindAllStringSubmatch(code, maxSources) {
		if s := q[1] + q[2]; strings.ContainsAny(s, `/\~`) || strings.Contains(s, ".") {
			m.change(s)
		}
	}
}
