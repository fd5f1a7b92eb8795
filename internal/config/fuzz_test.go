package config_test

import (
	"errors"
	"testing"

	"mcpproxy/internal/config"
)

// FuzzParse parses arbitrary bytes. The parser must not panic, every refusal must be an [Error], and an accepted file
// must be accepted again.
func FuzzParse(f *testing.F) {
	for _, table := range []map[string]mistake{unknownKeys, duplicateKeys, wrongTypes, badValues} {
		for _, m := range table {
			f.Add([]byte(m.file))
		}
	}
	f.Add([]byte(`{"mcpServers": {"a": {"url": "http://h/", "oauth": {"scopes": ["a"]}}}, // c` + "\n}"))
	f.Add([]byte("{\"mcpServers\": {\"\xff\": {}}}"))
	lookup := func(_, name string) (string, error) {
		if name == "" {
			return "", errors.New("no name")
		}
		return "value", nil
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		c, err := config.Parse("f.json", raw, lookup)
		if string(raw) != before {
			t.Fatal("the input was changed")
		}
		if err != nil {
			e, ok := errors.AsType[*config.Error](err)
			if !ok || e.Msg == "" || e.Line < 0 {
				t.Fatalf("not an error of the file: %v", err)
			}
			return
		}
		c.Idle()
		for _, s := range c.Servers {
			if s.Name == "" || (s.Command == "") == (s.URL == "") {
				t.Fatalf("a server that cannot be reached was accepted: %+v", s)
			}
		}
		if _, err := config.Parse("f.json", raw, lookup); err != nil {
			t.Fatalf("accepted once, and then: %v", err)
		}
	})
}
