package classify_test

import (
	"slices"
	"testing"

	"mcpproxy/internal/classify"
)

func TestFilesThatOthersRunLater(t *testing.T) {
	for file, word := range map[string]string{
		"/home/ana/app/.github/workflows/nightly.yml": "workflow",
		".github/workflows/nightly.yml":               "workflow",
		"~/.bashrc":                                   "bashrc",
		`C:\Users\ana\app\.vscode\tasks.json`:         "vscode",
		"app/CLAUDE.md":                               "claude",
		"/etc/cron.d/backup":                          "backup",
		"../x/.git/hooks/post-commit":                 "hook",
		"/home/ana/.ssh/authorized_keys":              "key",
		"/home/ana/notes/workflows.md":                "",
		"src/bashrc_test.go":                          "",
		"docs/agents.md.bak":                          "",
	} {
		if got := classify.Opens(file); (word == "") != (got == nil) || word != "" && !slices.Contains(got, word) {
			t.Errorf("Opens(%q) = %q, want %q among them", file, got, word)
		}
	}
}

func TestAPatchOpensByAnyOfItsFiles(t *testing.T) {
	for patch, want := range map[string]bool{
		"*** Begin Patch\n*** Update File: a.go\n*** Add File: .github/workflows/x.yml\n+on: push\n": true,
		"--- a/a.go\n+++ b/.bashrc\n@@ -1 +1 @@\n":                                                   true,
		"*** Begin Patch\n*** Update File: a.go\n":                                                   false,
		"see .github/workflows/x.yml":                                                                false,
	} {
		if got := classify.OpensByPatch(patch); (got != nil) != want {
			t.Errorf("OpensByPatch(%q) = %q", patch, got)
		}
	}
}
