package codemode

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/text"
	"mcpproxy/internal/wire"
)

// A tool as TypeScript, in three degrees of detail. What a server says stands in
// comments and in quotes; it cannot end either.

func nameOnly(t *mcpproxy.Tool) string { return member(t.Name) + "\n" }

func signature(t *mcpproxy.Tool) string {
	out := ""
	if d := comment(t.Description, 160); d != "" {
		out = "/** " + d + " */\n"
	}
	return out + head(t, 0)
}

func declaration(t *mcpproxy.Tool) string {
	out := ""
	if d := comment(t.Description, 4000); d != "" {
		out = "/** " + d + " */\n"
	}
	return out + head(t, 1)
}

// head is the tool's name with its types.
func head(t *mcpproxy.Tool, detail int) string {
	in, out := schemaOf(t.InputSchema), schemaOf(wire.Member(t.Raw, "outputSchema"))
	result := "unknown"
	if out != nil {
		result = out.typescript(detail, maxDepth)
	}
	args := "{}"
	if in != nil {
		args = in.typescript(detail, maxDepth)
	}
	mark := ""
	if in == nil || len(in.Required) == 0 {
		mark = "?"
	}
	return member(t.Name) + "(args" + mark + ": " + args + "): Promise<" + result + ">;\n"
}

// maxDepth is how deep types are spelled out.
const maxDepth = 5

// maxMembers bounds the members of one type that are spelled out.
const maxMembers = 60

// schema is as much of JSON Schema as a type can say.
type schema struct {
	Type        json.RawMessage            `json:"type"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Required    []string                   `json:"required"`
	Items       json.RawMessage            `json:"items"`
	Enum        []json.RawMessage          `json:"enum"`
	Const       json.RawMessage            `json:"const"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
	OneOf       []json.RawMessage          `json:"oneOf"`
	Description string                     `json:"description"`
	Additional  json.RawMessage            `json:"additionalProperties"`
}

// schemaOf reads a schema; nil when it is none.
func schemaOf(raw []byte) *schema {
	var s schema
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return &s
}

// typescript is the type that the schema describes.
func (s *schema) typescript(detail, depth int) string {
	if s == nil || depth == 0 {
		return "unknown"
	}
	switch {
	case s.Const != nil:
		return literal([]json.RawMessage{s.Const})
	case len(s.Enum) > 0:
		return literal(s.Enum)
	case len(s.AnyOf)+len(s.OneOf) > 0:
		var all []string
		for _, raw := range append(slices.Clone(s.AnyOf), s.OneOf...) {
			all = append(all, schemaOf(raw).typescript(detail, depth-1))
		}
		return union(all)
	}
	var one string
	var many []string
	if json.Unmarshal(s.Type, &one) == nil {
		many = []string{one}
	} else {
		_ = json.Unmarshal(s.Type, &many) // what is no type is unknown
	}
	if len(many) == 0 && len(s.Properties) > 0 {
		many = []string{"object"}
	}
	var all []string
	for _, name := range many {
		all = append(all, s.basic(name, detail, depth))
	}
	return union(all)
}

func (s *schema) basic(name string, detail, depth int) string {
	switch name {
	case "string", "boolean", "null":
		return name
	case "number", "integer":
		return "number"
	case "array":
		item := schemaOf(s.Items).typescript(detail, depth-1)
		if strings.ContainsAny(item, " |") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		return s.object(detail, depth)
	}
	return "unknown"
}

func (s *schema) object(detail, depth int) string {
	if len(s.Properties) == 0 {
		if string(s.Additional) == "false" {
			return "{}"
		}
		return "Record<string, unknown>"
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { // what must be given comes first
		if x, y := slices.Contains(s.Required, a), slices.Contains(s.Required, b); x != y {
			if x {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	var out []string
	for _, name := range names[:min(len(names), maxMembers)] {
		of, mark := schemaOf(s.Properties[name]), "?"
		if slices.Contains(s.Required, name) {
			mark = ""
		}
		said := ""
		if of != nil && detail > 0 {
			if d := comment(of.Description, 1000); d != "" {
				said = " /* " + d + " */"
			}
		}
		out = append(out, member(name)+mark+": "+of.typescript(detail, depth-1)+said)
	}
	if len(names) > maxMembers {
		out = append(out, "[more: string]: unknown")
	}
	return "{ " + strings.Join(out, "; ") + " }"
}

// literal is a choice of values.
func literal(values []json.RawMessage) string {
	var out []string
	for _, v := range values[:min(len(values), maxMembers)] {
		var s string
		if json.Unmarshal(v, &s) == nil {
			out = append(out, quoted(s))
		} else if len(v) < 40 {
			out = append(out, comment(string(v), 40))
		}
	}
	return union(out)
}

func union(all []string) string {
	all = slices.Compact(all)
	if len(all) == 0 {
		return "unknown"
	}
	return strings.Join(all, " | ")
}

// member is a name as it stands in a type.
func member(name string) string {
	for i, r := range name {
		if r > 127 || !unicode.IsLetter(r) && r != '_' && r != '$' && (i == 0 || !unicode.IsDigit(r)) {
			return quoted(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// quoted is a string constant that shows what does not print.
func quoted(s string) string { return string(text.Quote(visible(s))) }

// comment is what a server says, on one line and unable to end the comment.
func comment(s string, limit int) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(visible(s), "*/", "* /")), " ")
	if short := cut(s, limit); short != s {
		return short + "…"
	}
	return s
}

// visible leaves out what reorders or hides text.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}
