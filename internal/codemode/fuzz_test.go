package codemode

import (
	"testing"
	"unicode/utf8"

	"mcpproxy"
)

// FuzzADeclaration reads arbitrary tool definitions. What scripts are shown of them is limited in length and valid
// text.
func FuzzADeclaration(f *testing.F) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}},"required":["a"]}`,
		`{"anyOf":[{"$ref":"#/$defs/S"},{"type":["null","integer"]}],"$defs":{"S":{"enum":["x",1,null]}}}`,
		`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`,
		`{"items":{"allOf":[{"additionalProperties":{"type":"number"}}]}}`,
		`[]`,
	} {
		f.Add("read", []byte(schema), []byte(`{"outputSchema":`+schema+`}`))
	}
	f.Fuzz(func(t *testing.T, name string, in, raw []byte) {
		said := declaration(&mcpproxy.Tool{Name: name, InputSchema: in, Raw: raw})
		if len(said) > 1<<20+len(name) {
			t.Errorf("%d bytes are shown of a schema of %d", len(said), len(in)+len(raw))
		}
		if utf8.ValidString(name) && utf8.Valid(in) && utf8.Valid(raw) && !utf8.ValidString(said) {
			t.Errorf("what is shown is no text: %q", said)
		}
	})
}
