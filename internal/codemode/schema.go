package codemode

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// maxDepth is the depth to which types are spelled out.
const maxDepth = 5

// maxMembers limits the members that are written for one type.
const maxMembers = 60

// maxTypes limits the types that are written for one schema, because a schema can refer to one
// definition many times.
const maxTypes = 2000

// schema is the part of JSON Schema that a TypeScript type can express.
type schema struct {
	Type        json.RawMessage            `json:"type"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Required    []string                   `json:"required"`
	Items       json.RawMessage            `json:"items"`
	Enum        []json.RawMessage          `json:"enum"`
	Const       json.RawMessage            `json:"const"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
	OneOf       []json.RawMessage          `json:"oneOf"`
	AllOf       []json.RawMessage          `json:"allOf"`
	Ref         string                     `json:"$ref"`
	Defs        map[string]json.RawMessage `json:"$defs"`
	Definitions map[string]json.RawMessage `json:"definitions"`
	Description string                     `json:"description"`
	Additional  json.RawMessage            `json:"additionalProperties"`
}

// schemaOf parses a schema; it returns nil if raw is not one.
func schemaOf(raw []byte) *schema {
	var s schema
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return &s
}

// speller writes the TypeScript types of one schema.
type speller struct {
	root   *schema         // schema that references are resolved in
	detail int             // 0 omits the descriptions of members
	within map[string]bool // definitions being written, to detect recursion
	left   int             // remaining types
}

// typescript returns the TypeScript type that a schema describes.
func typescript(s *schema, detail int) string {
	p := speller{
		root:   s,
		detail: detail,
		within: map[string]bool{},
		left:   maxTypes,
	}
	return p.spell(s, maxDepth)
}

func (p *speller) spell(s *schema, depth int) string {
	if p.left--; s == nil || depth == 0 || p.left < 0 {
		return "unknown"
	}
	switch {
	case s.Ref != "" || len(s.AllOf) > 0:
		return p.allOf(s, depth)
	case s.Const != nil:
		return literal([]json.RawMessage{s.Const})
	case len(s.Enum) > 0:
		return literal(s.Enum)
	case len(s.AnyOf)+len(s.OneOf) > 0:
		var all []string
		for _, raw := range append(slices.Clone(s.AnyOf), s.OneOf...) {
			all = append(all, p.spell(schemaOf(raw), depth-1))
		}
		return union(all)
	}
	var one string
	var many []string
	if json.Unmarshal(s.Type, &one) == nil {
		many = []string{one}
	} else {
		_ = json.Unmarshal(s.Type, &many) // an invalid type is unknown
	}
	if len(many) == 0 && len(s.Properties) > 0 {
		many = []string{"object"}
	}
	var all []string
	for _, name := range many {
		all = append(all, p.basic(s, name, depth))
	}
	return union(all)
}

// allOf returns the intersection of the types that a schema combines: the definition that
// $ref names, the members of allOf, and its own properties. Members of unknown type are
// ignored.
func (p *speller) allOf(s *schema, depth int) string {
	all := []string{p.named(s.Ref, depth)}
	for _, raw := range s.AllOf {
		all = append(all, p.spell(schemaOf(raw), depth-1))
	}
	if len(s.Properties) > 0 {
		all = append(all, p.object(s, depth))
	}
	all = slices.DeleteFunc(all, func(t string) bool { return t == "unknown" })
	switch len(all) {
	case 0:
		return "unknown"
	case 1:
		return all[0]
	}
	for i, t := range all {
		if strings.Contains(t, " | ") && t[0] != '{' {
			all[i] = "(" + t + ")"
		}
	}
	return strings.Join(slices.Compact(all), " & ")
}

// named returns the type of a definition of the same schema. A definition inside itself has an
// unknown type.
func (p *speller) named(ref string, depth int) string {
	at, name, ok := strings.Cut(strings.TrimPrefix(ref, "#/"), "/")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	raw := map[string]map[string]json.RawMessage{"$defs": p.root.Defs, "definitions": p.root.Definitions, "properties": p.root.Properties}[at][name]
	if !ok || raw == nil || p.within[at+"/"+name] {
		return "unknown"
	}
	p.within[at+"/"+name] = true
	defer delete(p.within, at+"/"+name)
	return p.spell(schemaOf(raw), depth)
}

func (p *speller) basic(s *schema, name string, depth int) string {
	switch name {
	case "string", "boolean", "null":
		return name
	case "number", "integer":
		return "number"
	case "array":
		item := p.spell(schemaOf(s.Items), depth-1)
		if strings.ContainsAny(item, " |") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		return p.object(s, depth)
	}
	return "unknown"
}

func (p *speller) object(s *schema, depth int) string {
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
	slices.SortFunc(names, func(a, b string) int { // required members first
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
		if of != nil && p.detail > 0 {
			if d := comment(of.Description, 1000); d != "" {
				said = " /* " + d + " */"
			}
		}
		out = append(out, member(name)+mark+": "+p.spell(of, depth-1)+said)
	}
	if len(names) > maxMembers {
		out = append(out, "[more: string]: unknown")
	}
	return "{ " + strings.Join(out, "; ") + " }"
}

// literal returns the union of the values as literal types.
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
