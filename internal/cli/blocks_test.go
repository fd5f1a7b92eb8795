package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// block is an indented or fenced block of a page.
type block struct {
	lines []string // without the indent
	marks []string // the reasons in the comments before it for which it, or one of its commands, is not run
}

var (
	fence    = regexp.MustCompile("^ *```")
	notRun   = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
	oneMark  = regexp.MustCompile("^`([^`]+)`: (.+)$")
	setFirst = regexp.MustCompile(`^(?:[A-Z_]+=\S*\s+)+`)
)

// blocks returns the blocks of code of a page.
func blocks(page string) []block {
	var all []block
	var marks []string
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if m := notRun.FindStringSubmatch(line); m != nil {
			marks = append(marks, m[1])
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		var b block
		switch indent := len(line) - len(strings.TrimLeft(line, " ")); {
		case fence.MatchString(line):
			for i++; i < len(lines) && !fence.MatchString(lines[i]); i++ {
				b.lines = append(b.lines, lines[i])
			}
		case indent >= 4 && (i == 0 || strings.TrimSpace(lines[i-1]) == ""):
			for ; i < len(lines) && (strings.HasPrefix(lines[i], "    ") || strings.TrimSpace(lines[i]) == ""); i++ {
				b.lines = append(b.lines, strings.TrimPrefix(lines[i], strings.Repeat(" ", indent)))
			}
			i--
		}
		if b.lines != nil {
			b.marks = marks
			all = append(all, b)
		}
		marks = nil
	}
	return all
}

// programs are the first words of commands on pages.
var programs = strings.Fields(`mcpproxy mcpproxy-hook mcp-adversary make go node npm npx uvx curl sudo cat cd cp mv rm mkdir chmod
	chown tar export install git docker podman kubectl helm brew apt dnf rpm dpkg systemctl journalctl launchctl sha256sum openssl
	cosign psql python3 sh bash`)

// commands returns the commands of a block. Each contains its continuation lines but not its comment.
func (b block) commands() (all []string) {
	for i := 0; i < len(b.lines); i++ {
		line := b.lines[i]
		word, _, _ := strings.Cut(setFirst.ReplaceAllString(line, ""), " ")
		if !slices.Contains(programs, word) && !strings.HasSuffix(word, ".sh") {
			continue
		}
		for i+1 < len(b.lines) && (strings.HasSuffix(line, `\`) || strings.Count(line, "'")%2 == 1) {
			i++
			line += "\n" + b.lines[i]
		}
		line, _, _ = strings.Cut(line, " #")
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// inScripts replaces values that differ in every run with the variables of the scripts.
var inScripts = strings.NewReplacer(
	" ID", " $ID",
	" URL", " $URL",
	": KEY", ": $API_KEY",
	"127.0.0.1:8080", "$LISTEN",
	"127.0.0.1:9100", "$ADDRESS",
	"ed25519:…", "$PUBLIC",
)

// ran are the lines that the scripts run.
type ran map[string]bool

// runs reports whether a script runs a command.
func (r ran) runs(command string) bool { return r[inScripts.Replace(command)] }

var (
	byScript = regexp.MustCompile(`^(?:!\s+|\[[^]]+\] )*(?:exec|exits \d+|until (?:'[^']*'|\S+)|typed \S+ (?:'[^']*'|\S+)) (.+)$`)
	asJob    = regexp.MustCompile(` &\w*&?$`)
	byShell  = regexp.MustCompile(`\bsh -\S+ (\S+\.sh)$`)
	intoFile = regexp.MustCompile(` >\w+(?: 2>&1)?(?: &)?$`)
)

// read adds the lines that a script runs, and those of the shell scripts that the script runs.
func (r ran) read(t *testing.T, path string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shell := map[string]bool{}
	for line := range strings.Lines(string(archive.Comment)) {
		m := byScript.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		r[asJob.ReplaceAllString(m[1], "")] = true
		if s := byShell.FindStringSubmatch(m[1]); s != nil {
			shell[s[1]] = true
		}
	}
	for _, f := range archive.Files {
		if !shell[f.Name] {
			continue
		}
		for _, command := range (block{lines: strings.Split(string(f.Data), "\n")}).commands() {
			r[intoFile.ReplaceAllString(command, "")] = true
			r[command] = true
		}
	}
}

// dryRun runs a command of make without executing its recipe, which other tests and CI do.
func dryRun(t *testing.T, command string) error {
	t.Helper()
	words := strings.Fields(command)
	run := exec.Command(words[0], append([]string{"--dry-run"}, words[1:]...)...)
	run.Dir = filepath.Join("..", "..")
	return run.Run()
}

// Every command on every page must be run by a script, with the variables of inScripts. Otherwise a comment before its
// block must say why not: <!-- not run: REASON -->. A comment about one command begins with the beginning of the
// command in backquotes.
func TestEveryCommandOfEveryPageIsRunOrSaysWhyNot(t *testing.T) {
	scripts := ran{}
	for _, pattern := range []string{"testdata/*/*.txtar", "../../cmd/mcp-adversary/testdata/*.txtar"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range found {
			scripts.read(t, path)
		}
	}
	count := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md", "examples/*/*.md", "web/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			page, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks(string(page)) {
				count += len(b.commands())
				b.check(t, path, scripts)
			}
		}
	}
	if count < 250 {
		t.Errorf("the pages have only %d commands", count)
	}
}

// check reports the commands of a block that are neither run nor marked, and unnecessary marks.
func (b block) check(t *testing.T, page string, scripts ran) {
	t.Helper()
	needed := map[string]bool{}
	for _, command := range b.commands() {
		if scripts.runs(command) || strings.HasPrefix(command, "make ") && dryRun(t, command) == nil {
			continue
		}
		mark := slices.IndexFunc(b.marks, func(mark string) bool {
			m := oneMark.FindStringSubmatch(mark)
			return m == nil || strings.HasPrefix(command, m[1])
		})
		if mark < 0 {
			t.Errorf("%s: no script runs this, and no comment says why not:\n\t%s", page, command)
			continue
		}
		needed[b.marks[mark]] = true
	}
	for _, mark := range b.marks {
		if !needed[mark] {
			t.Errorf("%s: the comment <!-- not run: %s --> stands before nothing that is not run", page, mark)
		}
	}
}

func TestTheCommandsOfAPageAreFound(t *testing.T) {
	page := "Text\n\n    mcpproxy a   # why\n    output\n      mcpproxy not\n    B=1 make c\n\nText\n    mcpproxy text\n\n" +
		"<!-- not run: needs root -->\n\n    sudo x \\\n      y\n    curl -d '{\n      \"a\": 1\n    }'\n\n```sh\ngo test\n```\n"
	var got []string
	for _, b := range blocks(page) {
		got = append(got, append(b.commands(), b.marks...)...)
	}
	want := []string{"mcpproxy a", "B=1 make c", "sudo x \\\n  y", "curl -d '{\n  \"a\": 1\n}'", "needs root", "go test"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
