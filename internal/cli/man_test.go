package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheManualHasEveryCommandAndItsFlags(t *testing.T) {
	dir := t.TempDir()
	root := rootCommand()
	if err := writeManual(root, dir); err != nil {
		t.Fatal(err)
	}
	page := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(dir, "man", "man1", name+".1"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	first := page("mcpproxy")
	for _, c := range documented(root) {
		if !strings.Contains(first, roff("mcpproxy-"+c.Name()+"(1)")) {
			t.Errorf("mcpproxy(1) does not name %s", c.Name())
		}
		text := page("mcpproxy-" + c.Name())
		for _, sub := range documented(c) {
			if !strings.Contains(text, ".SS "+roffWord(sub.UseLine())) {
				t.Errorf("the page of %s does not have %s", c.Name(), sub.Name())
			}
		}
	}
	if !strings.Contains(page("mcpproxy-trust"), ".B \\-\\-hash string\n") {
		t.Error("the page of trust does not have its flag --hash")
	}
}

func TestAManualPageShowsTextAsItIs(t *testing.T) {
	if got, want := roff(".a-b\n'c\\d"), "\\&.a\\-b\n\\&'c\\ed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
