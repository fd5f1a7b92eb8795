package mcpproxy_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcpproxy/internal/config"
)

// The examples are complete configurations: each one loads, and every key in it has an effect.
func TestTheExamplesLoad(t *testing.T) {
	files, err := filepath.Glob("examples/*/mcp_config.json")
	if err != nil || len(files) != 3 {
		t.Fatalf("there are %d examples: %v", len(files), err)
	}
	environment := func(kind, name string) (string, error) {
		if kind != "env" {
			t.Errorf("an example refers to the %s %s", kind, name)
		}
		return "/a-value-of-the-environment-of-32-characters", nil
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(file, raw, environment)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if idle := c.Idle(); len(idle) > 0 {
			t.Errorf("%s sets keys that have no effect: %v", file, idle)
		}
		if len(c.Servers) == 0 {
			t.Errorf("%s has no servers", file)
		}
	}
}
