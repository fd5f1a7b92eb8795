package shell

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// loader describes files that programs run or load without an argument that names them.
type loader struct {
	programs string // names of programs, or "program subcommand" joined by "_"
	files    string // patterns of file names
	read     func(m *machine, file, text string)
}

// loaders returns the kinds of files that programs load by default.
func loaders() []loader {
	return []loader{
		{"pytest tox nox", "conftest.py test_*.py *_test.py noxfile.py sitecustomize.py", asCode("python")},
		{"jest vitest mocha ava jasmine playwright cypress", "*.test.* *.spec.* jest.config.* vitest.config.* .mocharc.*", asCode("node")},
		{"vite webpack rollup next nuxt astro eslint prettier tsc tailwindcss postcss babel esbuild parcel gulp grunt karma",
			"*.config.js *.config.ts *.config.mjs *.config.cjs .eslintrc.* .prettierrc.* .babelrc.* gulpfile.* Gruntfile.*", asCode("node")},
		{"go_test", "*_test.go", asCode("go")},
		{"cargo_build cargo_run cargo_test cargo_check", "build.rs main.rs", asCode("cargo")},
		{"pip_install pip3_install uv_pip uv_sync poetry_install", "setup.py", asCode("python")},
		{"rake", "Rakefile rakefile *.rake", asCode("ruby")},
		{"bundle_install bundle_exec bundle_update", "Gemfile", asCode("ruby")},
		{"rspec", "*_spec.rb spec_helper.rb .rspec", asCode("ruby")},
		{"phpunit", "*Test.php bootstrap.php", asCode("php")},
		{"gradle gradlew", "build.gradle settings.gradle build.gradle.kts", asCode("groovy")},
		{"scons", "SConstruct", asCode("python")},
		{"docker_compose docker-compose podman-compose", "docker-compose*.y*ml compose*.y*ml", asLines},
		{"ansible-playbook", "*.yml *.yaml", asLines},
		{"task", "Taskfile.y*ml", asLines},
		{"pre-commit", ".pre-commit-config.yaml", asLines},
		{"systemctl_start systemctl_restart systemctl_enable systemctl_reload", "*.service *.timer", asLines},
		{"terraform_apply terraform_plan terraform_destroy tofu_apply", "*.tf", asLines},
		{"just", "justfile Justfile .justfile", asRecipes},
		{"direnv_allow direnv_exec", ".envrc", asScript},
	}
}

func asCode(language string) func(*machine, string, string) {
	return func(m *machine, file, text string) { m.runCode(language, file, literal(text), value{}) }
}

func asScript(m *machine, file, text string) { m.runFile(file, literal(text), nil, value{}) }

func asRecipes(m *machine, _, text string) { m.loads(text, func() value { return m.recipes(text) }) }

func asLines(m *machine, _, text string) { m.loads(text, func() value { return m.commandLines(text) }) }

// loadsFor reads the files that a program loads by default. all are the program's arguments.
func (m *machine) loadsFor(program string, all []value) {
	if len(m.at.Files)+len(m.files) == 0 {
		return
	}
	words := strings.Fields(program)
	if len(words) == 0 {
		return
	}
	for _, a := range all {
		if len(words) > 2 {
			break
		}
		if !strings.HasPrefix(a.text, "-") && !slices.Contains(words, a.text) {
			words = append(words, a.text)
		}
	}
	switch words[0] = programName(words[0]); words[0] {
	case "make", "gmake", "bmake":
		m.makefiles(all)
	case "npm", "pnpm", "yarn", "bun", "composer":
		m.packageScripts(words, all)
	case "git":
		m.gitFiles(words, all)
	}
	for _, l := range loaders() {
		if !slices.ContainsFunc(strings.Fields(l.programs), func(p string) bool {
			first, second, two := strings.Cut(p, "_")
			return first == words[0] && (!two || slices.Contains(words[1:], second))
		}) {
			continue
		}
		for _, file := range m.writtenLike(strings.Fields(l.files)) {
			if v, ok := m.file(file); ok {
				l.read(m, file, v.text)
			}
		}
	}
}

// flagged returns the value of the first of the flags among the arguments.
func flagged(args []value, flags ...string) string {
	for i, a := range args {
		for _, f := range flags {
			switch rest, inline := strings.CutPrefix(a.text, f+"="); {
			case inline:
				return rest
			case a.text == f && i+1 < len(args):
				return args[i+1].text
			case len(f) == 2 && strings.HasPrefix(a.text, f) && len(a.text) > 2:
				return a.text[2:]
			}
		}
	}
	return ""
}

// makefiles runs the recipes of the makefile that make loads by default.
func (m *machine) makefiles(args []value) {
	if flagged(args, "-f", "--file", "--makefile") != "" {
		return
	}
	dir := flagged(args, "-C", "--directory")
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if v, ok := m.file(path.Join(dir, name)); ok {
			m.loads(v.text, func() value { return m.recipes(v.text) })
			return
		}
	}
}

var (
	makeSets = lazyregexp.New(`(?m)^(?:export\s+|override\s+)?([A-Za-z_][\w.-]*)\s*(?::::?|::?|\?|\+|!)?=[ \t]*(.*)$`)
	makeUses = lazyregexp.New(`\$[({]([A-Za-z_][\w.-]*)[)}]`)
	makeRuns = lazyregexp.New(`\$\(shell\s+`)
)

// recipes runs the recipes of a makefile with the variables that it sets.
func (m *machine) recipes(text string) value {
	text = strings.ReplaceAll(text, "\\\n", " ")
	vars := map[string]string{}
	for _, set := range makeSets().FindAllStringSubmatch(text, maxReads) {
		vars[set[1]] = set[2]
	}
	expand := func(line string) string {
		for range maxTurns {
			next := makeUses().ReplaceAllStringFunc(line, func(use string) string {
				if v, ok := vars[use[2:len(use)-1]]; ok {
					return v
				}
				return use
			})
			if next == line || len(next) > maxText {
				break
			}
			line = next
		}
		return strings.ReplaceAll(makeRuns().ReplaceAllString(line, "$$("), "$$", "$")
	}
	var out value
	for line := range strings.Lines(text) {
		if _, inline, ok := strings.Cut(line, ";"); ok && !strings.HasPrefix(line, "\t") && !strings.Contains(line, "=") {
			line = "\t" + inline
		}
		recipe, ok := strings.CutPrefix(line, "\t")
		if !ok {
			recipe, ok = strings.CutPrefix(line, "    ") // a recipe of just
		}
		switch {
		case ok:
			out = out.then(m.script(expand(strings.TrimLeft(recipe, "@-+ \t")), value{}))
		case strings.Contains(line, "$(shell") && strings.Contains(line, "="):
			_, v, _ := strings.Cut(line, "=")
			out = out.then(m.script("echo "+expand(v), value{}))
		case strings.Contains(line, "!="):
			_, v, _ := strings.Cut(line, "!=")
			out = out.then(m.script(expand(v), value{}))
		}
	}
	return out
}

// lineKeys matches settings whose values are command lines, in YAML, in unit files and in HCL.
var lineKeys = lazyregexp.New(
	`^(\s*)(?:-\s+)?(?:[\w.]*\.)?(command|entrypoint|shell|cmd|cmds|entry|test|Exec\w+|raw)\s*[:=]\s*(.*)$`,
)

// commandLines runs the command lines in the settings of a file.
func (m *machine) commandLines(text string) value {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		found := lineKeys().FindStringSubmatch(lines[i])
		if found == nil {
			continue
		}
		said := strings.TrimSpace(found[3])
		if said == "" || said[0] == '|' || said[0] == '>' {
			said = ""
			for i+1 < len(lines) && (strings.TrimSpace(lines[i+1]) == "" || indent(lines[i+1]) > len(found[1])) {
				i++
				line := strings.TrimSpace(lines[i])
				if item, ok := strings.CutPrefix(line, "- "); ok {
					line = strings.Trim(item, `"'`)
				}
				said += line + "\n"
			}
			m.script(said, value{})
			m.script(strings.ReplaceAll(strings.TrimSpace(said), "\n", " "), value{}) // a list of arguments
			continue
		}
		m.commandLine(said)
	}
	return value{}
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// commandLine runs a command line in quotes, or one in a JSON list of arguments.
func (m *machine) commandLine(said string) {
	said = strings.ReplaceAll(said, "$$", "$")
	var args []string
	if strings.HasPrefix(said, "[") && json.Unmarshal([]byte(said), &args) == nil {
		fields := make([]value, len(args))
		for i, a := range args {
			fields[i] = literal(a)
		}
		m.run(fields, value{})
		return
	}
	var whole string
	switch {
	case strings.HasPrefix(said, `"`) && json.Unmarshal([]byte(said), &whole) == nil:
		said = whole
	case len(said) > 1 && said[0] == '\'' && said[len(said)-1] == '\'':
		said = strings.ReplaceAll(said[1:len(said)-1], "''", "'")
	}
	m.script(strings.TrimLeft(said, "-@:+!"), value{})
}

// members matches members of JSON objects whose value is a string. It also matches in a fragment of JSON.
var members = lazyregexp.New(`"([^"\\\n]{1,80})"\s*:\s*("(?:[^"\\\n]|\\.)*")`)

// installs lists the subcommands that install packages. lifecycle lists the scripts that run during an installation.
var (
	installs  = words("install i ci add update up rebuild link install-test it")
	lifecycle = words(
		"preinstall install postinstall prepublish preprepare prepare postprepare pre-install-cmd post-install-cmd post-update-cmd post-autoload-dump",
	)
)

// packageScripts runs the scripts of package.json that npm and similar programs run without being asked.
func (m *machine) packageScripts(words []string, all []value) {
	v, ok := m.file(path.Join(flagged(all, "--prefix", "-C", "--cwd", "--dir"), "package.json"))
	if words[0] == "composer" {
		v, ok = m.file("composer.json")
	}
	if !ok {
		m.registry(words)
		return
	}
	run := ""
	install := len(words) == 1 && words[0] != "npm"
	for _, w := range words[1:] {
		switch {
		case w == "run" || w == "run-script" || w == "exec":
		case installs()[w] && run == "":
			install = true
		default:
			run += w + " "
		}
	}
	m.registry(words)
	m.loads(v.text, func() value {
		for _, found := range members().FindAllStringSubmatch(v.text, maxReads) {
			name, line := found[1], ""
			bare := strings.TrimPrefix(strings.TrimPrefix(name, "pre"), "post")
			wanted := install && lifecycle()[name] ||
				slices.ContainsFunc(strings.Fields(run), func(w string) bool {
					return w == name || w == bare || w == "t" && bare == "test" || (w == "publish" || w == "pack") && lifecycle()[name] ||
						strings.HasPrefix(bare, w+":")
				})
			if wanted && json.Unmarshal([]byte(found[2]), &line) == nil {
				m.script(line, value{})
			}
		}
		return value{}
	})
}

// registrySetting matches the setting of .npmrc for the registry, from which npm fetches packages and to which it
// publishes them.
var registrySetting = lazyregexp.New(`(?m)^\s*(?:@[\w-]+:)?(?:registry|proxy|https-proxy|https_proxy)\s*=\s*(\S+)`)

// registry records the registry that a .npmrc of the command line names.
func (m *machine) registry(words []string) {
	for _, name := range []string{".npmrc", "~/.npmrc", ".yarnrc", "~/.yarnrc"} {
		v, ok := m.file(name)
		if !ok {
			continue
		}
		for _, found := range registrySetting().FindAllStringSubmatch(v.text, maxSources) {
			e, ok := endpoint(found[1])
			switch {
			case !ok || e.inside():
			case slices.Contains(words, "publish"):
				m.send(Send{By: words[0], To: e, Data: []Source{{Kind: File, Name: "."}}})
			default:
				m.foreign(m.fetch(e).data)
			}
		}
	}
}

// gitHooks maps subcommands of git to the hooks that they run.
var gitHooks = map[string]string{
	"commit":   "pre-commit prepare-commit-msg commit-msg post-commit post-rewrite",
	"push":     "pre-push",
	"checkout": "post-checkout",
	"switch":   "post-checkout",
	"clone":    "post-checkout",
	"worktree": "post-checkout",
	"merge":    "pre-merge-commit post-merge commit-msg",
	"pull":     "post-merge post-rewrite",
	"rebase":   "pre-rebase post-rewrite post-checkout",
	"am":       "applypatch-msg pre-applypatch post-applypatch",
	"gc":       "pre-auto-gc",
}

// gitFiles applies git's settings in files that the command line has written, and runs the hooks of a subcommand.
func (m *machine) gitFiles(words []string, all []value) {
	dir := flagged(all, "-C")
	folders := []string{".git/hooks", ".husky"}
	for _, name := range []string{path.Join(dir, ".git/config"), "~/.gitconfig", "~/.config/git/config", "/etc/gitconfig"} {
		v, ok := m.file(name)
		if !ok {
			continue
		}
		for _, set := range gitSettingsIn(v.text) {
			if strings.EqualFold(set[0], "core.hooksPath") {
				folders = append(folders, set[1])
			}
			m.loads("", func() value { m.gitSet(set[0], set[1]); return value{} })
		}
	}
	for _, command := range words[1:] {
		for hook := range strings.FieldsSeq(gitHooks[command]) {
			for _, folder := range folders {
				file := folder + "/" + hook
				if !rooted(file) {
					file = path.Join(dir, file)
				}
				if v, ok := m.file(file); ok {
					m.runFile(file, v, nil, value{})
				}
			}
		}
	}
}

// gitSettingsIn returns the settings in a configuration file of git: name and value.
func gitSettingsIn(text string) [][2]string {
	var out [][2]string
	section := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			head, rest, found := strings.Cut(line[1:], "]")
			if !found {
				continue
			}
			name, sub, _ := strings.Cut(head, " ")
			if sub = strings.Trim(strings.TrimSpace(sub), `"`); sub != "" {
				name += "." + sub
			}
			section, line = name, strings.TrimSpace(rest)
		}
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") || len(out) >= maxReads {
			continue
		}
		key, v, _ := strings.Cut(line, "=")
		if v = strings.TrimSpace(v); len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"' {
			v = strings.ReplaceAll(v[1:len(v)-1], `\"`, `"`)
		}
		out = append(out, [2]string{section + "." + strings.TrimSpace(key), v})
	}
	return out
}

// setsGit adds a setting of git to the configuration file that the command line has written.
func (m *machine) setsGit(key, v string, global bool) {
	file := ".git/config"
	if global {
		file = "~/.gitconfig"
	}
	section, rest, _ := strings.Cut(key, ".")
	if i := strings.LastIndexByte(rest, '.'); i >= 0 {
		section, rest = section+` "`+rest[:i]+`"`, rest[i+1:]
	}
	m.notes(file, literal("["+section+"]\n\t"+rest+" = "+v+"\n"), true)
}

// defaults reads the options that a program takes from a configuration file of the user.
func (d *doing) defaults() {
	names := map[string][]string{"curl": {"~/.curlrc", ".curlrc"}, "wget": {"~/.wgetrc", ".wgetrc"}}[d.row.name]
	for _, name := range names {
		if v, ok := d.m.file(name); ok && v.text != "" {
			d.optionsIn(v.text)
			return
		}
	}
}
