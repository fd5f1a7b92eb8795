package inspect

import (
	"encoding/json"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/flow"
)

// Parameters of tools that write files, in lower case and without "_".
var (
	wholeMembers = []string{"content", "contents", "filetext", "text", "data", "newsource", "code", "filecontent", "filecontents"}
	newMembers   = []string{"newstring", "newstr", "newtext", "inserttext", "replacement", "codeedit", "insertedtext", "replace"}
	oldMembers   = []string{"oldstring", "oldstr", "oldtext", "search"}
	patchMembers = []string{"patch", "diff", "input", "patchtext", "command"}
	pathMembers  = []string{
		"path", "filepath", "file", "filename", "targetfile", "relativepath", "relativeworkspacepath", "absolutepath",
		"notebookpath", "target",
	}
)

// maxWrites bounds the writes of one call that are kept.
const maxWrites = 256

// Writes returns what the call writes to files, as far as its arguments show it.
func (p *action) Writes() []flow.Write {
	var out []flow.Write
	for _, l := range p.lines {
		for _, c := range l.Wrote {
			out = append(out, write(c, false))
		}
	}
	if p.call.Kind != mcpproxy.KindTool || len(p.lines) > 0 && p.call.Server == "" || p.operation == mcpproxy.Read {
		return out[:min(len(out), maxWrites)]
	}
	var args any
	if len(p.call.Arguments) > 0 && json.Unmarshal(p.call.Arguments, &args) == nil {
		out = append(out, written(args, p.call.Dir, "", 0)...)
	}
	return out[:min(len(out), maxWrites)]
}

// write converts the content of a command line to a write.
func write(c shell.Content, all bool) flow.Write {
	return flow.Write{
		Path: c.Path,
		Text: c.Text,
		More: c.More,
		Old:  c.Old,
		All:  all,
	}
}

// member normalises the name of a parameter.
func member(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
}

// written finds the files that arguments write. file is the file that the enclosing arguments name.
func written(args any, dir, file string, depth int) []flow.Write {
	var out []flow.Write
	if depth > 4 {
		return nil
	}
	if list, ok := args.([]any); ok {
		for _, item := range list[:min(len(list), maxWrites)] {
			out = append(out, written(item, dir, file, depth+1)...)
		}
		return out
	}
	object, ok := args.(map[string]any)
	if !ok {
		return nil
	}
	w := saidIn(object)
	if w.path != "" {
		file = shell.Place(dir, w.path)
	}
	for _, c := range shell.ReadPatch(w.patch) {
		c.Path = shell.Place(dir, c.Path)
		out = append(out, write(c, false))
	}
	switch {
	case file == "":
	case w.after != "" || w.before != "":
		out = append(out, flow.Write{
			Path: file,
			Text: w.after,
			Old:  w.before,
			More: w.before == "",
			All:  w.all,
		})
	case w.whole != "":
		out = append(out, flow.Write{Path: file, Text: w.whole, More: w.more})
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out = append(out, written(object[name], dir, file, depth+1)...)
	}
	return out
}

// said is what the members of one object say about a file.
type said struct {
	path, whole, before, after, patch string
	more, all                         bool
}

func saidIn(object map[string]any) said {
	var s said
	for name, v := range object {
		text, isText := v.(string)
		yes, _ := v.(bool)
		switch name := member(name); {
		case name == "replaceall" || name == "allowmultiple":
			s.all = yes
		case name == "append" && yes, name == "mode" && strings.HasPrefix(text, "a"):
			s.more = true
		case !isText || text == "":
		case slices.Contains(pathMembers, name):
			s.path = text
		case slices.Contains(wholeMembers, name):
			s.whole = text
		case slices.Contains(oldMembers, name):
			s.before = text
		case slices.Contains(newMembers, name):
			s.after = text
		case slices.Contains(patchMembers, name):
			s.patch += text + "\n"
		}
	}
	return s
}

// folder returns the known contents of files that the commands of a call may run.
func (in *Inspector) folder(c *mcpproxy.Call) shell.Folder {
	return shell.Folder{Dir: c.Dir, Files: in.tracker.Written(c.FlowSession)}
}
