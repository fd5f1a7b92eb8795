package shell

import (
	"strings"
	"testing"
)

func TestTheHeaderExplainsEveryWordOfTheTable(t *testing.T) {
	rows, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(programsText, "\n\n# Reading")
	for _, list := range []map[string]bool{marks(), names(roles())} {
		for word := range list {
			if !strings.Contains(header, word) {
				t.Errorf("the header of programs.txt does not explain %q", word)
			}
		}
	}
	if len(rows) < 200 {
		t.Errorf("programs.txt has only %d rows", len(rows))
	}
}

func names(roles map[role]bool) map[string]bool {
	out := map[string]bool{}
	for r := range roles {
		out[string(r)] = true
	}
	return out
}

func TestABadLineOfTheTableIsAnError(t *testing.T) {
	for name, table := range map[string]string{
		"an unknown role":         "curl | too",
		"an unknown role of flag": "curl | to | bodies: -d",
		"flags without a role":    "curl | to | -d",
		"a program twice":         "curl | to\nwget,curl | to",
	} {
		t.Run(name, func(t *testing.T) {
			if rows, err := parsePrograms(table); err == nil {
				t.Errorf("got %v", rows)
			}
		})
	}
}
