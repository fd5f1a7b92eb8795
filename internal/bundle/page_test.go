package bundle_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/bundle"
)

// rows returns the rows of the table in docs/managed-machines.md that says which value of each key holds.
func rows() []string {
	names := map[string][]string{}
	var order []string
	for _, k := range bundle.Keys() {
		which := k.Order.String()
		if len(k.Values) > 0 {
			which += " " + strings.Join(k.Values, ", ")
		}
		if names[which] == nil {
			order = append(order, which)
		}
		names[which] = append(names[which], "`"+k.Name+"`")
	}
	slices.Sort(order)
	var out []string
	for _, which := range order {
		out = append(out, fmt.Sprintf("| %s | %s |", which, strings.Join(names[which], ", ")))
	}
	return out
}

func TestThePageSaysWhichValueOfEachKeyHolds(t *testing.T) {
	raw, err := os.ReadFile("../../docs/managed-machines.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := strings.Join(rows(), "\n"); !strings.Contains(string(raw), table) {
		t.Errorf("docs/managed-machines.md does not have this table:\n%s", table)
	}
}

// block returns the indented block of a page that begins after a line.
func block(t *testing.T, page, after string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, after+"\n\n")
	if !ok {
		t.Fatalf("the page does not say %q", after)
	}
	var b strings.Builder
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "    ") {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

func TestTheExamplesOfThePageAreRead(t *testing.T) {
	raw, err := os.ReadFile("../../docs/managed-machines.md")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Build([]byte(block(t, string(raw), "Write `acme.json`:")))
	if err != nil {
		t.Fatal(err)
	}
	if b.Label() != "acme-2026-11 v7" || b.Servers == nil || len(*b.Servers) != 2 || len(b.Said()) < 5 {
		t.Errorf("the example is %+v", b)
	}
	managed := block(t, string(raw), "`/etc/mcpproxy/managed.json` on every machine, owned by root:")
	if _, err := bundle.ParseManaged([]byte(strings.Replace(managed, "ed25519:…", newKey(t).Public().String(), 1))); err != nil {
		t.Errorf("the example of managed.json: %v\n%s", err, managed)
	}
}
