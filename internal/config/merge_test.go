package config_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

func TestMerge(t *testing.T) {
	for name, c := range map[string]struct{ file, part, want string }{
		"objects are merged":      {`{"a": {"b": 1, "c": 2}}`, `{"a": {"c": 3}}`, `{"a":{"b":1,"c":3}}`},
		"lists are replaced":      {`{"a": [1, 2]}`, `{"a": [3]}`, `{"a":[3]}`},
		"null takes a key out":    {`{"a": 1, "b": 2}`, `{"a": null}`, `{"b":2}`},
		"null in what is new":     {`{}`, `{"a": {"b": null, "c": 1}}`, `{"a":{"c":1}}`},
		"a value for an object":   {`{"a": {"b": 1}}`, `{"a": 5}`, `{"a":5}`},
		"an object for a value":   {`{"a": 5}`, `{"a": {"b": 1}}`, `{"a":{"b":1}}`},
		"comments do no harm":     {"// x\n{\"a\": 1,}", "{/* y */ \"b\": 2}", `{"a":1,"b":2}`},
		"nothing changes nothing": {`{"a": 1}`, ``, `{"a":1}`},
	} {
		got, err := config.Merge([]byte(c.file), []byte(c.part), config.Lookup)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	lookup := func(kind, name string) (string, error) { return "<" + kind + " " + name + ">", nil }
	got, err := config.Merge(
		[]byte(`{"a": ["x ${env:Y}", {"b": "${file:z}"}], "n": 1}`),
		[]byte(`{"c": "\u0024{file:/etc/passwd}", "d": ["${env:Z}"]}`),
		lookup,
	)
	if want := `{"a":["x <env Y>",{"b":"<file z>"}],"c":"${file:/etc/passwd}","d":["${env:Z}"],"n":1}`; err != nil ||
		string(got) != want {
		t.Errorf("references: %s, %v", got, err)
	}
	if _, err := config.Merge(
		[]byte(`{"a": "${env:MCPPROXY_NOT_SET}"}`),
		nil,
		config.Lookup,
	); err == nil ||
		!strings.Contains(err.Error(), "MCPPROXY_NOT_SET") {
		t.Errorf("a reference to nothing: %v", err)
	}
	for _, part := range []string{`[]`, `{`, `{"a": 1, "a": 2}`} {
		if got, err := config.Merge([]byte(`{}`), []byte(part), config.Lookup); err == nil {
			t.Errorf("%s was merged to %s", part, got)
		}
	}
}
