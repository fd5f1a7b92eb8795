package agent_test

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/agent"
)

var update = flag.Bool("update", false, "write what the list of agents says into the pages")

// sections are the parts of the pages that are generated from the list of agents. Each is between the marks <!-- NAME
// --> and <!-- end of NAME -->.
var sections = []struct {
	page, name string
	content    func() string
}{
	{"hooks.md", "agents", hookTable},
	{"hooks.md", "notes", hookNotes},
	{"connect.md", "agents", serverTable},
	{"import.md", "agents", importTable},
}

func TestThePagesListEveryAgent(t *testing.T) {
	for _, s := range sections {
		file := filepath.Join("..", "..", "docs", s.page)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, have, after, ok := cut(string(raw), s.name)
		if !ok {
			t.Fatalf("docs/%s has no section %q", s.page, s.name)
		}
		want := s.content()
		if *update {
			if err := os.WriteFile(file, []byte(before+want+after), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if have != want {
			t.Errorf(
				"docs/%s: the section %q is not that of internal/agent; go test ./internal/agent -run Page -update writes it",
				s.page,
				s.name,
			)
		}
	}
}

func TestTheQuickStartHasEveryAgent(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "quick-start.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range agent.All() {
		for command, has := range map[string]bool{
			"mcpproxy connect " + a.Name:              a.Servers != nil,
			"mcpproxy hook install --agent " + a.Name: a.Hooks != nil,
		} {
			if has && !strings.Contains(string(raw), command) {
				t.Errorf("docs/quick-start.md lacks %s", command)
			}
		}
	}
}

// cut splits a page into the parts before, in and after a section.
func cut(page, section string) (before, within, after string, ok bool) {
	begins := "<!-- " + section + " -->\n"
	ends := "<!-- end of " + section + " -->"
	before, rest, begun := strings.Cut(page, begins)
	within, after, ended := strings.Cut(rest, ends)
	return before + begins, within, ends + after, begun && ended
}

// table returns a Markdown table. Its first row is the header.
func table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("|")
		for _, cell := range row {
			b.WriteString(strings.TrimSuffix(" "+cell, " ") + " |")
		}
		b.WriteString("\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}

func hookTable() string {
	rows := [][]string{{"agent", "file for the user", "file for a project", `when the answer is "ask"`}}
	for _, a := range agent.WithHooks() {
		name := quote(append([]string{a.Name}, a.Aliases...)...)
		user := userFile(a.HookFolder(), a.Hooks.Files[agent.User])
		project := quote(present(a.Hooks.Files[agent.Project], a.Hooks.Files[agent.Local])...)
		if a.Hooks.Caller != "" {
			user = "the same file as " + quote(a.Hooks.Caller)
			project = user
		}
		rows = append(rows, []string{name, user, project, a.Hooks.Asks})
	}
	var without []string
	for _, a := range agent.All() {
		if a.Hooks == nil {
			without = append(without, quote(a.Name)+" ("+a.NoHooks+")")
		}
	}
	return table(rows) + "\nThe hook cannot be installed for " + strings.Join(without, " and ") + ".\n"
}

func hookNotes() string {
	var b strings.Builder
	for _, a := range agent.WithHooks() {
		for _, note := range a.Hooks.Notes {
			b.WriteString(wrap("- "+note, "  "))
		}
	}
	return b.String()
}

func serverTable() string {
	rows := [][]string{{"agent", "for the user", "for a project"}}
	for _, a := range agent.WithServers() {
		user := userFile(a.ServerFolder(), a.Servers.Files[agent.User].Names[0])
		if _, ok := a.Servers.Files[agent.Local]; ok {
			user += "; with `--scope local` its part for this folder"
		}
		if a.Servers.ByHand != "" {
			user += ", by hand"
		}
		project := ""
		if list, ok := a.Servers.Files[agent.Project]; ok {
			project = quote(list.Names[0]) + a.Servers.ProjectNote
		}
		rows = append(rows, []string{quote(a.Name), user, project})
	}
	return table(rows)
}

func importTable() string {
	forms := map[string]string{".toml": "TOML", ".yaml": "YAML"}
	variables := map[agent.Variables]string{
		agent.Literal: "",
		agent.Braces:  "`${NAME}`, `${NAME:-default}`",
		agent.Dollars: "`$NAME`, `${NAME}`, `${NAME:-default}`",
		agent.Editor:  "`${env:NAME}`, `${NAME}`, `${workspaceFolder}`, `${userHome}`",
		agent.Curly:   "`{env:NAME}`, `{file:PATH}`",
	}
	rows := [][]string{{"agent", "form of its file", "member with the servers", "variables in values"}}
	for _, a := range agent.WithServers() {
		list := a.Servers.Files[agent.User]
		form, ok := forms[path.Ext(list.Names[0])]
		if !ok {
			form = "JSON"
		}
		rows = append(rows, []string{
			quote(a.Name),
			form,
			quote(strings.Join(list.Keys, ".")),
			variables[a.Servers.Variables],
		})
	}
	return table(rows)
}

// userFile returns the path of a user's file as the pages write it.
func userFile(folder agent.Folder, file string) string {
	file = path.Join(folder.Path, file)
	switch folder.Base {
	case agent.Home:
		return quote("~/" + file)
	case agent.XDG:
		return quote("~/.config/" + file)
	}
	return quote(file) + " in the system's folder for settings"
}

// quote returns names as code of Markdown.
func quote(names ...string) string {
	return "`" + strings.Join(names, "`, `") + "`"
}

// present returns the names that are not "".
func present(names ...string) []string {
	var all []string
	for _, name := range names {
		if name != "" {
			all = append(all, name)
		}
	}
	return all
}

// wrap breaks a text into lines of at most 120 characters. It indents all lines except the first, and does not break
// code.
func wrap(text, indent string) string {
	var b strings.Builder
	var line, word string
	for part := range strings.FieldsSeq(text) {
		word = strings.TrimSpace(word + " " + part)
		if strings.Count(word, "`")%2 == 1 {
			continue // within code
		}
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > 120:
			fmt.Fprintln(&b, line)
			line = indent + word
		default:
			line += " " + word
		}
		word = ""
	}
	fmt.Fprintln(&b, line)
	return b.String()
}
