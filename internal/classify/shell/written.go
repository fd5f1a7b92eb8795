package shell

import (
	"path"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// Folder holds the known contents of files that a command may run or load.
type Folder struct {
	Dir   string            // the folder in which the command runs, or "" if it is not known
	Files map[string]string // content that the agent wrote earlier, by [Place]
}

// MaxFile is the maximum number of bytes that are read of a file. A file of that length counts as truncated.
const MaxFile = maxBytes

// Content is what a command writes to a file.
type Content struct {
	Path string // as Place returns it
	Text string // the known part
	More bool   // the text is appended to the file
	Old  string // the part of the file that the text replaces; "" for the whole file
}

// ParseIn analyses a command line of a Unix shell. A file that it runs or loads is analysed as if its content were
// part of the line.
func ParseIn(command string, at Folder) Command {
	m := newMachine()
	m.at = at
	return m.done(m.script(command, value{}), command)
}

// ParseArgsIn is [ParseIn] for a command that is given as a list of arguments.
func ParseArgsIn(args []string, at Folder) Command {
	m := newMachine()
	m.at = at
	fields := make([]value, len(args))
	for i, a := range args {
		fields[i] = literal(a)
	}
	return m.done(m.run(fields, value{}), strings.Join(args, " "))
}

// homeFolder matches the beginning of a path in a home folder.
var homeFolder = lazyregexp.New(`^(?:~|\$HOME|\$\{HOME\}|/root|/home/[^/]+|/Users/[^/]+)(?:/|$)`)

// Place returns one canonical name for a file: its path below dir if dir is known, or below the home folder.
func Place(dir, file string) string {
	file = strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "file://")
	if dir != "" && !rooted(file) {
		file = path.Join(dir, file)
	}
	if at := homeFolder().FindStringIndex(file); at != nil {
		file = "~/" + file[at[1]:]
	}
	return path.Clean(file)
}

// place returns the canonical name of a file that the command names.
func (m *machine) place(file string) string {
	dir := m.dir
	switch {
	case dir == "":
		dir = m.at.Dir
	case m.at.Dir != "" && !rooted(dir):
		dir = path.Join(m.at.Dir, dir)
	}
	return Place(dir, file)
}

// file returns the content of a file that was written, by the command itself or earlier.
func (m *machine) file(name string) (value, bool) {
	if v, ok := m.files[path.Clean(name)]; ok {
		return v, true
	}
	text, ok := m.earlier(name)
	return literal(text), ok
}

// earlier returns the content that the agent wrote to a file in an earlier call. If the folder is not known, a file
// with the same last part of the path counts as the same file.
func (m *machine) earlier(name string) (string, bool) {
	if len(m.at.Files) == 0 || name == "" || len(name) > maxPathBytes {
		return "", false
	}
	file := m.place(name)
	if text, ok := m.at.Files[file]; ok {
		return text, true
	}
	short := path.Clean(name)
	for strings.HasPrefix(short, "../") {
		short = short[len("../"):]
	}
	best := ""
	for known := range m.at.Files {
		alike := !rooted(known) && strings.HasSuffix(file, "/"+known) ||
			!rooted(short) && (short == known || strings.HasSuffix(known, "/"+short))
		if alike && (best == "" || len(known) < len(best) || len(known) == len(best) && known < best) {
			best = known
		}
	}
	return m.at.Files[best], best != ""
}

// maxPathBytes is the maximum length of a path that is looked up.
const maxPathBytes = 4096

// writtenLike returns the canonical names of written files that match one of the patterns.
func (m *machine) writtenLike(patterns []string) []string {
	var out []string
	like := func(file string) bool {
		base := path.Base(file)
		return slices.ContainsFunc(patterns, func(p string) bool {
			ok, err := path.Match(p, base)
			return err == nil && ok
		})
	}
	for file := range m.at.Files {
		if like(file) {
			out = append(out, file)
		}
	}
	for file := range m.files {
		if like(file) {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxSources)]
}

// notes records the content that the command writes to a file.
func (m *machine) notes(file string, v value, more bool) {
	if len(m.c.Wrote) >= maxReads || v.text == "" && more {
		return
	}
	m.c.Wrote = append(m.c.Wrote, Content{
		Path: m.place(file),
		Text: v.text,
		More: more,
	})
}

// Limits of the files that are run or loaded.
const (
	maxLoads = 64 // per command
	maxDeep  = 4  // nesting
)

// loads calls follow, which analyses the content of a file. If a part of the file cannot be interpreted, the command
// does not become opaque. It does if the file is truncated.
func (m *machine) loads(text string, follow func() value) value {
	if m.loaded++; m.loaded > maxLoads || m.deep >= maxDeep {
		m.giveUp()
		m.scan(text)
		return value{}
	}
	before := *m
	before.c.Opaque = m.c.Opaque || len(text) >= MaxFile
	m.deep++
	m.scripts = 0
	out := follow()
	m.deep = before.deep
	m.scripts = before.scripts
	m.dir = before.dir
	m.args = before.args
	if m.steps <= maxSteps {
		m.lost = before.lost
		m.c.Opaque = before.c.Opaque
	}
	return out
}

// runFile runs a script. Its first line or its file name says whether it is a shell script or code in another
// language.
func (m *machine) runFile(name string, v value, args []value, in value) value {
	if !v.known {
		return m.runText(v, in)
	}
	language := interpreter(name, v.text)
	if language != "" {
		return m.runCode(language, name, v, in)
	}
	return m.loads(v.text, func() value {
		m.args = args
		return m.script(v.text, in)
	})
}

// shebang matches the first line of a script. Its groups are the program and, for env, the program after env.
var shebang = lazyregexp.New(`^#!\s*(?:\S*/)?(\w[\w.+-]*)(?:\s+(?:-\S+\s+)*(?:\S*/)?(\w[\w.+-]*))?`)

// extensions maps suffixes of script names to the programs that run them.
var extensions = map[string]string{
	".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node", ".rb": "ruby", ".pl": "perl",
	".php": "php", ".lua": "lua", ".go": "go", ".r": "Rscript", ".ps1": "powershell",
}

// interpreter returns the program that runs a script, or "" for a shell script.
func interpreter(name, text string) string {
	found := shebang().FindStringSubmatch(text)
	if found == nil {
		return extensions[strings.ToLower(path.Ext(name))]
	}
	program := found[1]
	if program == "env" {
		program = found[2]
	}
	rows, err := programs()
	row := rows[program]
	if row == nil {
		row = rows[strings.TrimRight(program, ".0123456789")]
	}
	if err != nil || row == nil || !slices.Contains(row.args, script) || row.marks["shell"] ||
		builtinOf(row.name) != nil {
		return ""
	}
	return row.name
}

// runCode runs a file in another language, together with the files that it imports and that the agent wrote.
func (m *machine) runCode(language, name string, v value, in value) value {
	if !v.known {
		return m.code(language, v, in)
	}
	return m.loads(v.text, func() value {
		return m.code(language, literal(m.imports(name, v.text)), in)
	})
}

// imported matches the modules that code imports in Python, JavaScript, Ruby, PHP and Perl.
var imported = lazyregexp.NewFiltered(
	`(?m)^\s*from\s+([\w.]+)\s+import\s+([\w, ]+)|^\s*import\s+([\w.]+(?:\s*,\s*[\w.]+)*)|` +
		`(?:require|import|require_relative|include|include_once|require_once|load|from)\s*\(?\s*["']([\w./-]+)["']`,
)

// imports returns code together with the code of the files that it imports. A read in one file and a send in another
// are then analysed together.
func (m *machine) imports(name, text string) string {
	if len(m.at.Files)+len(m.files) == 0 {
		return text
	}
	seen := map[string]bool{path.Clean(name): true}
	todo := []string{text}
	out := text
	for len(todo) > 0 && len(seen) < maxSources && len(out) < 2*MaxFile {
		var next []string
		for _, code := range todo {
			for _, module := range modules(code) {
				for _, file := range moduleFiles(path.Dir(name), module) {
					if seen[file] || len(seen) >= maxSources {
						continue
					}
					if v, ok := m.file(file); ok && v.text != "" {
						seen[file] = true
						out += "\n" + v.text
						next = append(next, v.text)
					}
				}
			}
		}
		todo = next
	}
	return out[:min(len(out), 2*MaxFile)]
}

// modules returns the names of the modules that code imports.
func modules(code string) []string {
	out := []string{"sitecustomize", "usercustomize"}
	for _, found := range imported.FindAllStringSubmatch(code, maxReads) {
		if found[1] != "" {
			out = append(out, found[1])
			for _, name := range strings.FieldsFunc(found[2], func(r rune) bool { return r == ',' || r == ' ' }) {
				out = append(out, found[1]+"."+name)
			}
		}
		for _, name := range strings.Split(found[3], ",") {
			if name, _, _ = strings.Cut(strings.TrimSpace(name), " "); name != "" {
				out = append(out, name)
			}
		}
		if found[4] != "" {
			out = append(out, found[4])
		}
	}
	return out
}

// moduleFiles returns the files in dir that may contain a module with the given name.
func moduleFiles(dir, module string) []string {
	var out []string
	if strings.ContainsAny(module, "/") || path.Ext(module) != "" && extensions[path.Ext(module)] != "" {
		file := path.Join(dir, module)
		out = append(out, file)
		for _, end := range []string{".js", ".ts", ".mjs", ".cjs", ".rb", ".php", "/index.js"} {
			out = append(out, file+end)
		}
		return out
	}
	file := path.Join(dir, strings.ReplaceAll(strings.TrimLeft(module, "."), ".", "/"))
	for _, end := range []string{".py", "/__init__.py", ".rb", ".js"} {
		out = append(out, file+end)
	}
	return out
}
