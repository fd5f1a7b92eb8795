package program

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/registry"
)

// interpreter is a program that runs a script. Its one-letter options may be combined, and a value may follow its
// option without a space.
type interpreter struct {
	name   func() *regexp.Regexp
	verbs  []string // options that may precede the script
	valued string   // letters of options that take a value
	code   string   // letters of options whose value is the code
	module string   // letters of options whose value is a module
	long   []string // long options whose value is the next word
	inline []string // long options whose value is code
}

var interpreters = []interpreter{
	{
		name:   lazyregexp.New(`^(node|nodejs)([0-9.]*)$`),
		valued: "rC",
		code:   "ep",
		long:   []string{"--require", "--import", "--loader", "--experimental-loader", "--conditions", "--title"},
		inline: []string{"--eval", "--print"},
	},
	{
		name:   lazyregexp.New(`^(tsx|ts-node)$`),
		valued: "rP",
		code:   "ep",
		long:   []string{"--tsconfig", "--require", "--project"},
	},
	{
		name:   lazyregexp.New(`^bun$`),
		verbs:  []string{"run"},
		valued: "r",
		code:   "ep",
		long:   []string{"--preload", "--cwd"},
	},
	{
		name:   lazyregexp.New(`^deno$`),
		verbs:  []string{"run"},
		valued: "c",
		long:   []string{"--config", "--import-map", "--lock"},
	},
	{
		name:   lazyregexp.New(`^(python|pypy)[0-9.]*w?$`),
		valued: "WX",
		code:   "c",
		module: "m",
		long:   []string{"--check-hash-based-pycs"},
	},
	{name: lazyregexp.New(`^ruby[0-9.]*$`), valued: "rICE", code: "e"},
	{name: lazyregexp.New(`^perl[0-9.]*$`), valued: "IMm", code: "eE"},
	{name: lazyregexp.New(`^php[0-9.]*$`), valued: "dcz", code: "rBRFE"},
	{
		name:   lazyregexp.New(`^(sh|bash|dash|zsh|ksh|fish)$`),
		valued: "oO",
		code:   "cs",
		long:   []string{"--rcfile", "--init-file"},
	},
	{name: lazyregexp.New(`^java$`), long: []string{"-cp", "-classpath", "--class-path", "--module-path", "--add-modules"}},
}

// starters are programs that start another program. Their own file says nothing about the code of the server.
var starters = strings.Fields(`
	env sudo doas nice nohup setsid timeout xvfb-run systemd-run bwrap firejail script stdbuf chroot flatpak snap
	docker podman nerdctl npm npx pnpm pnpx yarn bunx corepack uv uvx pipx poetry pdm hatch conda micromamba pixi
	rye mise asdf direnv dotenvx op doppler nix nix-shell cmd powershell pwsh wsl ssh go cargo dotnet mvn gradle
	make just task supergateway mcp-proxy`)

const (
	whyCode    = "its code is in the command line"
	whyStarter = "it starts another program, and mcpproxy does not know which file that is"
	whyRunner  = "mcpproxy does not know where this command keeps what it fetches"
	whyScript  = "the command line names no script"
)

// parse determines what a command line starts.
func parse(c Command) *Started {
	name := registry.ProgramName(c.Name)
	if runner, words := registry.Fetched(c.Name, c.Args); runner != "" {
		return fetches(runner, words, c)
	}
	if name == "uv" {
		return parseUV(c)
	}
	for _, i := range interpreters {
		if i.name().MatchString(name) {
			return i.parse(name, c)
		}
	}
	s := &Started{subject: c.Name}
	if slices.Contains(starters, name) {
		s.subject = strings.Join(append([]string{c.Name}, first(c.Args)...), " ")
		s.why = whyStarter
		return s
	}
	s.tree, s.stub = c.Path, c.Path
	return s
}

// first returns the first word that is not an option, as a slice of at most one word.
func first(words []string) []string {
	i := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") })
	if i < 0 {
		return nil
	}
	return words[i : i+1]
}

// parse finds the script or the module in the arguments of an interpreter.
func (i *interpreter) parse(name string, c Command) *Started {
	s := &Started{subject: c.Name}
	for n := 0; n < len(c.Args); n++ {
		word := c.Args[n]
		what, value, next := i.option(word)
		if next && what != script {
			n++
			if n == len(c.Args) {
				break
			}
			value = c.Args[n]
		}
		switch {
		case what == code:
			s.why = whyCode
			return s
		case what == module:
			s.subject += " -m " + value
			s.module(value, c)
			return s
		case what == script && slices.Contains(i.verbs, word) && n == 0:
		case what == script:
			s.subject += " " + word
			s.tree, s.stub = c.place(word), c.place(word)
			return s
		}
		if name == "java" && word == "-jar" && n+1 < len(c.Args) {
			s.subject += " -jar " + c.Args[n+1]
			s.tree = c.place(c.Args[n+1])
			return s
		}
	}
	s.why = whyScript
	return s
}

// The meanings of a word on a command line.
const (
	option = iota
	script
	code
	module
)

// option returns the meaning of a word, and the value that the word contains. next is true if the next word is the
// value.
func (i *interpreter) option(word string) (what int, value string, next bool) {
	switch {
	case !strings.HasPrefix(word, "-"), word == "-":
		return script, "", false
	case slices.Contains(i.long, word):
		return option, "", true
	case slices.Contains(i.inline, strings.SplitN(word, "=", 2)[0]):
		return code, "", false
	case strings.HasPrefix(word, "--"), i.valued+i.code+i.module == "":
		return option, "", false
	}
	for at := 1; at < len(word); {
		letter, size := utf8.DecodeRuneInString(word[at:]) // returns one byte at a time if the word is not valid UTF-8
		at += size
		rest := word[at:]
		switch {
		case strings.ContainsRune(i.code, letter):
			return code, "", false
		case strings.ContainsRune(i.module, letter):
			return module, rest, rest == ""
		case strings.ContainsRune(i.valued, letter):
			return option, rest, rest == ""
		}
	}
	return option, "", false
}

// parseUV finds the script in the arguments of "uv run".
func parseUV(c Command) *Started {
	s := &Started{subject: c.Name, why: whyStarter}
	verb := slices.Index(c.Args, "run")
	if verb < 0 {
		return s
	}
	dir := c
	for n, word := range c.Args {
		option, value, joined := strings.Cut(word, "=")
		if option != "--directory" && option != "--project" {
			continue
		}
		if !joined && n+1 < len(c.Args) {
			value = c.Args[n+1]
		}
		dir.Dir = c.place(value)
	}
	script := slices.IndexFunc(c.Args[verb:], func(w string) bool { return strings.HasSuffix(w, ".py") })
	if script < 0 {
		return s
	}
	word := c.Args[verb+script]
	s.subject, s.why = c.Name+" run "+word, ""
	s.tree = dir.place(word)
	return s
}

// module searches for a Python module where its interpreter searches: in the working directory, in PYTHONPATH, and in
// the virtual environment of the interpreter.
func (s *Started) module(name string, c Command) {
	top, _, _ := strings.Cut(name, ".")
	if !moduleName().MatchString(top) {
		s.why = "the command line names no module"
		return
	}
	places := []string{c.place(".")}
	for _, dir := range filepath.SplitList(c.variable("PYTHONPATH")) {
		places = append(places, c.place(dir))
	}
	places = append(places, sitesOf(filepath.Dir(filepath.Dir(c.Path)))...)
	for _, dir := range places {
		folder := filepath.Join(dir, top)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			s.tree = folder
			return
		}
		if _, err := os.Stat(folder + ".py"); err == nil {
			s.tree = folder + ".py"
			return
		}
	}
	s.why = "the module was not found in the working directory, PYTHONPATH or the virtual environment"
}

var moduleName = lazyregexp.New(`^[\pL_][\pL\pN_]*$`)
