package config_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tailscale/hujson"

	"mcpproxy/internal/config"
)

var update = flag.Bool("update", false, "write the golden files")

func TestSchemaIsThePublishedOne(t *testing.T) {
	got, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "schema.json")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the schema changed; go test ./internal/config -update accepts it:\n%s", diff)
	}
}

func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	raw, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func validate(t *testing.T, s *jsonschema.Resolved, file []byte) error {
	t.Helper()
	standard, err := hujson.Standardize(file)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(standard, &v); err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestTheSchemaHoldsForTheStarter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	if _, err := config.EnsureFile(path); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema(t), raw); err != nil {
		t.Error(err)
	}
}

// Editors check the file against the schema, so the schema must accept and refuse the same files as the parser.
func TestSchemaAndParserAgree(t *testing.T) {
	s := schema(t)
	for name, file := range map[string]string{
		"nothing":                      `{}`,
		"servers in an array":          `{"mcpServers": [{"name": "a", "command": "x", "args": ["y"], "enabled": true}]}`,
		"servers in the object form":   `{"mcpServers": {"a": {"command": "x"}, "b": {"type": "sse", "url": "http://h/"}}}`,
		"overrides":                    `{"security": {"flow_policy": {"tool_overrides": {"a:b": "allow"}}, "classification": {"server_overrides": {"a": "external"}}}}`,
		"a misspelt key":               `{"listn": ""}`,
		"a misspelt key of a server":   `{"mcpServers": [{"name": "a", "comand": "x"}]}`,
		"a misspelt key, object form":  `{"mcpServers": {"a": {"comand": "x"}}}`,
		"a misspelt key deep down":     `{"security": {"hooks": {"enable": true}}}`,
		"a string for a number":        `{"activity": {"max_records": "1"}}`,
		"a decision that is none":      `{"security": {"tool_policy": {"read": "block"}}}`,
		"a side that is none":          `{"security": {"classification": {"default_unknown": "outside"}}}`,
		"an override that is none":     `{"security": {"flow_policy": {"tool_overrides": {"a:b": "never"}}}}`,
		"a server without a name":      `{"mcpServers": [{"command": "x"}]}`,
		"a severity that is none":      `{"security": {"pii_detection": {"custom_patterns": [{"name": "a", "regex": "a", "severity": "huge"}]}}}`,
		"a group with an unknown key":  `{"groups": {"g": {"servers": [], "isolation": "open", "colour": 1}}}`,
		"a redaction of a whole send":  `{"security": {"flow_policy": {"session_taint": "redact"}}}`,
		"the same of a budget":         `{"security": {"exfiltration": {"action": "redact"}}}`,
		"the same of a contradiction":  `{"security": {"tool_policy": {"contradiction": "redact"}}}`,
		"a contradiction that asks":    `{"security": {"tool_policy": {"contradiction": "ask"}, "classification": {"internal_domains": ["corp.example"]}, "home": ["acme.example", "github.com/acme", "workspace:T0123"]}}`,
		"sends without a limit":        `{"security": {"exfiltration": {"max_bytes": 0, "action": "deny"}, "flow_policy": {"opaque_payload": "warn"}}}`,
		"a rule that redacts":          `{"security": {"policies": [{"name": "a", "when": "true", "then": "redact"}]}}`,
		"a rule without its reason":    `{"security": {"policies": [{"name": "a", "when": "true", "then": "deny"}]}}`,
		"a suppression":                `{"security": {"suppressions": [{"rule": "email", "server": "a", "tool": "b", "reason": "r", "until": "2026-12-31"}]}}`,
		"a group with defaults unsaid": `{"mcpServers": {"a": {"command": "x"}}, "groups": {"g": {"isolation": "open"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, parseErr := config.Parse("f.json", []byte(file), nil)
			schemaErr := validate(t, s, []byte(file))
			if (parseErr == nil) != (schemaErr == nil) {
				t.Errorf("the parser says %v, the schema says %v", parseErr, schemaErr)
			}
		})
	}
}
