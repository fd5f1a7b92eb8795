package codemode

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcpproxy"
)

// The types of the servers' schemas, including combined ones, are shown to agents as TypeScript.
func TestASchemaIsSpelledOutWithWhatItNames(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/$defs/Item"}},"c":{"$ref":"#/$defs/Color"}},"required":["items"],
"$defs":{"Item":{"type":"object","properties":{"id":{"type":"integer"},"c":{"$ref":"#/$defs/Color"}}},"Color":{"enum":["red","blue"]}}}`: `{ items: ({ c?: "red" | "blue"; id?: number })[]; c?: "red" | "blue" }`,
		`{"$ref":"#/definitions/A~1B%20c","definitions":{"A/B c":{"type":"string"}}}`:                                                    `string`,
		`{"$ref":"#/$defs/Node","$defs":{"Node":{"type":"object","properties":{"next":{"$ref":"#/$defs/Node"},"v":{"type":"number"}}}}}`: `{ next?: unknown; v?: number }`,
		`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}`:                                               `unknown`,
		`{"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`:                                                           `{ a?: string; b?: string }`,
		`{"$ref":"#"}`:                          `unknown`,
		`{"$ref":"#/$defs/None"}`:               `unknown`,
		`{"$ref":"https://example.com/x.json"}`: `unknown`,
		`{"anyOf":[{"$ref":"#/$defs/S"},{"type":"null"}],"$defs":{"S":{"type":"string"}}}`:                                   `string | null`,
		`{"allOf":[{"$ref":"#/$defs/S"}],"default":"x","$defs":{"S":{"type":"string"}}}`:                                     `string`,
		`{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`:         `{ a?: string } & { b: string }`,
		`{"type":"object","properties":{"c":{"type":"boolean"}},"allOf":[{"properties":{"a":{"type":"string"}}},{"if":{}}]}`: `{ a?: string } & { c?: boolean }`,
		`{"allOf":[{"enum":["a","b"]},{"properties":{"a":{"enum":["x","y"]}}}]}`:                                             `("a" | "b") & { a?: "x" | "y" }`,
	} {
		if got := typescript(schemaOf([]byte(in)), 0); got != want {
			t.Errorf("%s\nis %s\nnot %s", in, got, want)
		}
	}
}

// A server cannot make the answer grow without limit through a few types that refer to each other.
func TestTypesThatReferToEachOtherAreLimited(t *testing.T) {
	defs := map[string]any{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		members := map[string]any{}
		for i := range maxMembers {
			members[strings.Repeat("x", i+1)] = map[string]any{"$ref": "#/$defs/" + string(name[0]+1)}
		}
		defs[name] = map[string]any{"properties": members}
	}
	raw, err := json.Marshal(map[string]any{"$ref": "#/$defs/a", "$defs": defs})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	said := declaration(&mcpproxy.Tool{Name: "t", InputSchema: raw})
	if took := time.Since(start); len(said) > 1<<20 || took > 10*time.Second {
		t.Errorf("%d bytes after %v", len(said), took)
	}
}
