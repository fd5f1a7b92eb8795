package rules_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/policy/rules"
)

var update = flag.Bool("update", false, "write the table of variables into the page")

// page is the page that documents the variables, between two marks.
var page = filepath.Join("..", "..", "..", "docs", "policies.md")

const (
	begins = "<!-- variables -->\n"
	ends   = "<!-- end of variables -->"
)

// documented returns the table of the variables.
func documented() string {
	var b strings.Builder
	b.WriteString("| name | type | what it is |\n|---|---|---|\n")
	for _, v := range rules.Variables() {
		doc := v.Doc
		if v.Values != nil {
			doc += ": " + strings.TrimPrefix(strings.Join(v.Values, ", "), ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, v.Type, doc)
	}
	return b.String()
}

func TestThePageListsEveryVariable(t *testing.T) {
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(raw), begins)
	_, after, ok := strings.Cut(rest, ends)
	if !ok {
		t.Fatal("docs/policies.md has no markers around the table of variables")
	}
	want := before + begins + documented() + ends + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(raw) {
		t.Error(
			"the table of variables in docs/policies.md differs from the code; go test ./internal/policy/rules -run Page -update writes it",
		)
	}
}
