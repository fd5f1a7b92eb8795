package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The scripts of a page run every command that the page shows. Where the page has ID or URL, they have $ID or $URL.
func TestEveryCommandOfAPageIsRun(t *testing.T) {
	for _, c := range []struct {
		page, script string
		least        int // commands that the page shows
	}{
		{"measure.md", "eval_page.txtar", 15},
		{"scan.md", "scan_page.txtar", 8},
		{"sensitive.md", "sensitive_page.txtar", 3},
		{"sessions.md", "sessions.txtar agents_in_lists.txtar", 6},
		{"contradictions.md", "contradictions.txtar call.txtar", 4},
		{"trust.md", "trust.txtar trust_program.txtar", 12},
		{"approvals.md", "approvals.txtar approvals_rules.txtar", 9},
		{"kill.md", "kill.txtar", 4},
		{"policies.md", "policy.txtar", 4},
		{"servers.md", "servers.txtar", 7},
		{"service.md", "service.txtar lifecycle.txtar", 10},
		{"code-mode.md", "code.txtar", 2},
		{"hooks.md", "hook_install.txtar", 5},
		{"checklist.md", "checklist.txtar", 3},
		{"monitor.md", "monitor.txtar", 3},
		{"activity.md", "activity.txtar heads.txtar agents_in_lists.txtar mask_personal.txtar", 12},
		{"probe.md", "probe_page.txtar", 12},
		{"tokens.md", "token.txtar", 6},
		{"audit.md", "audit.txtar", 3},
		{"oauth.md", "oauth.txtar", 5},
		{"page.md", "open.txtar", 2},
		{"connect.md", "connect.txtar", 4},
		{"import.md", "import.txtar", 4},
		{"call.md", "call.txtar", 5},
	} {
		page, err := os.ReadFile(filepath.Join("..", "..", "docs", c.page))
		if err != nil {
			t.Fatal(err)
		}
		var script []byte
		for name := range strings.FieldsSeq(c.script) {
			raw, err := os.ReadFile(filepath.Join("testdata", "script", name))
			if err != nil {
				t.Fatal(err)
			}
			script = append(script, raw...)
		}
		found := 0
		for line := range strings.Lines(string(page)) {
			command, ok := strings.CutPrefix(line, "    mcpproxy ")
			if !ok {
				continue
			}
			found++
			command, _, _ = strings.Cut(strings.TrimSpace(command), " #")
			command = strings.ReplaceAll(strings.TrimSpace(command), " ID", " $ID")
			command = strings.ReplaceAll(command, " URL", " $URL")
			run := "exec mcpproxy " + command
			if !strings.Contains(string(script), run+"\n") &&
				!strings.Contains(string(script), run+" &") { // in the background
				t.Errorf("%s does not run what %s shows:\n\tmcpproxy %s", c.script, c.page, command)
			}
		}
		if found < c.least {
			t.Errorf("%s shows only %d commands", c.page, found)
		}
	}
}

// Every command of this program that is shown to a user exists.
func TestEveryCommandThatIsNamedIsThere(t *testing.T) {
	named := regexp.MustCompile("(?:<code>|`)mcpproxy ([a-z]+(?: [a-z]+)?)[^`<\n]*(?:</code>|`)" +
		`|(?m:^    mcpproxy ([a-z]+(?: [a-z]+)?))`) // a block of code of a page
	found := 0
	look := func(file string) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(raw), -1) {
			found++
			words := strings.Fields(m[1] + m[2])
			c, rest, err := rootCommand().Find(words)
			if err != nil || c.Name() != words[len(words)-1-len(rest)] || len(rest) > 0 && c.HasSubCommands() {
				t.Errorf("%s names `mcpproxy %s`, and there is no such command", file, m[1]+m[2])
			}
		}
	}
	for _, root := range []string{
		"../../web/src",
		"../../internal",
		"../../docs",
		"../../examples",
		"../../README.md",
		"../../CONTRIBUTING.md",
		"../../CHANGELOG.md",
		"../../RATIONALE.md",
		"../../SECURITY.md",
	} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			ext := filepath.Ext(path)
			if err == nil && !d.IsDir() && slices.Contains([]string{".go", ".md", ".svelte", ".ts", ".json", ".jsonc"}, ext) &&
				!strings.HasSuffix(path, "_test.go") {
				look(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 300 {
		t.Errorf("only %d commands are named", found)
	}
}
