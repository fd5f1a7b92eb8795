package selfguard

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// use is the way a call uses a file.
type use int

const (
	changes use = iota
	reads
)

// reachedBy returns the file, process or request of the firewall that commands, which run
// in dir, reach for; "" if there is none.
func (g *Guard) reachedBy(commands []shell.Command, dir string) string {
	for _, l := range commands {
		for _, pid := range l.Signals {
			if g.Process != 0 && pid == strconv.Itoa(g.Process) || g.port != "" && pid == ":"+g.port {
				return "process " + strconv.Itoa(g.Process)
			}
		}
		for _, w := range l.Writes {
			if own := cmp.Or(g.path(w, dir, changes), g.setting(w, dir)); own != "" {
				return own
			}
		}
		for _, r := range l.Opens {
			if own := g.path(r, dir, reads); own != "" {
				return own
			}
		}
		for _, k := range l.Knocks {
			if g.named(k) {
				if asked := Deciding(k); asked != "" {
					return asked
				}
			}
		}
	}
	return ""
}

// contents are the names of arguments that hold text to be written, and not a path.
var contents = []string{
	"content",
	"contents",
	"file_text",
	"new_string",
	"old_string",
	"new_str",
	"old_str",
	"insert_text",
}

func isContents(member string) bool { return slices.Contains(contents, strings.ToLower(member)) }

// searching are words in the names of tools that read every file in a folder.
var searching = []string{"grep", "search", "copy", "archive", "zip", "compress"}

// reachedIn returns the file, setting or request of the firewall that a tool's arguments name, or
// "". A path or an address counts if it is a whole string value. A path also counts in the header
// of a patch.
func (g *Guard) reachedIn(call *mcpproxy.Call, op mcpproxy.Operation, words []string, doc *text.Document) string {
	if len(g.Files) == 0 && len(g.Settings) == 0 || call.Kind != mcpproxy.KindTool || doc == nil {
		return ""
	}
	searches := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(searching, w) })
	setting := ""
	for _, part := range doc.Parts {
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		if len(part.Text) <= maxPath && g.addressed(part.Text) {
			if asked := Deciding(part.Text); asked != "" {
				return asked
			}
		}
		if slices.ContainsFunc(doc.Members(part), isContents) {
			continue
		}
		if own := g.path(part.Text, call.Dir, reads); own != "" && (searches || !g.folder(part.Text, call.Dir, own)) {
			return own
		}
		if op == mcpproxy.Read {
			continue
		}
		if own := cmp.Or(g.path(part.Text, call.Dir, changes), g.patched(part.Text, call.Dir)); own != "" {
			return own
		}
		setting = cmp.Or(setting, g.setting(part.Text, call.Dir))
	}
	if setting != "" && (hooks().MatchString(setting) || !honest(doc)) {
		return setting
	}
	return ""
}

// honest reports whether the arguments contain the whole new text of an agent's settings file and
// that text does not mention hooks.
func honest(doc *text.Document) bool {
	whole := false
	for _, part := range doc.Parts {
		if part.Kind != text.Value {
			continue
		}
		switch strings.ToLower(doc.Field(part)) {
		case "content", "contents", "file_text":
			if whole = true; hooks().MatchString(part.Text) {
				return false
			}
		case "new_string", "old_string", "new_str", "old_str", "edits", "insert_text", "append":
			return false // the resulting file is not known
		}
	}
	return whole
}

// hooks matches texts that switch an agent's hooks on or off, also texts with escapes that may do
// so.
var hooks = lazyregexp.New(`(?i)hook|plugin|\\[ux]`)

// folder reports whether a name is a folder that contains own, and is not own itself.
func (g *Guard) folder(name, dir, own string) bool {
	for _, n := range g.names(name, dir) {
		if matches(n, slashed(own)) {
			return false
		}
	}
	return true
}

// patchHeads are the prefixes of patch lines that name a file.
var patchHeads = []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ ", "--- "}

// patched returns the file of the firewall, or the settings file of an agent, that a patch
// changes; "" if there is none.
func (g *Guard) patched(patch, dir string) string {
	if !strings.Contains(patch, "*** ") && !strings.Contains(patch, "+++ ") {
		return ""
	}
	for l := range strings.Lines(patch) {
		for _, head := range patchHeads {
			if file, ok := strings.CutPrefix(strings.TrimSpace(l), head); ok {
				file = strings.TrimPrefix(strings.TrimPrefix(file, "a/"), "b/")
				if own := cmp.Or(g.path(file, dir, changes), g.setting(file, dir)); own != "" {
					return own
				}
			}
		}
	}
	return ""
}
