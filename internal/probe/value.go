package probe

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

// schema is the part of a JSON Schema that is needed to make values.
type schema struct {
	node map[string]any
	root map[string]any // document for resolving references
}

func schemaOf(raw json.RawMessage) schema {
	var node map[string]any
	if json.Unmarshal(raw, &node) != nil {
		node = map[string]any{}
	}
	return schema{node, node}
}

// maxReferences limits the references that are followed for one schema.
const maxReferences = 8

// resolved follows references and chooses the first of several alternatives.
func (s schema) resolved() schema {
	for range maxReferences {
		if ref, ok := s.node["$ref"].(string); ok {
			s.node = s.lookup(ref)
			continue
		}
		next := map[string]any(nil)
		for _, k := range []string{"anyOf", "oneOf", "allOf"} {
			if all, ok := s.node[k].([]any); ok && s.kind() == "" {
				for _, one := range all {
					if m, ok := one.(map[string]any); ok && m["type"] != "null" && next == nil {
						next = m
					}
				}
			}
		}
		if next == nil {
			return s
		}
		s.node = next
	}
	return s
}

// lookup resolves a local reference, to an empty schema if it is missing.
func (s schema) lookup(ref string) map[string]any {
	path, local := strings.CutPrefix(ref, "#/")
	at := s.root
	for _, step := range strings.Split(path, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		at, _ = at[step].(map[string]any) // nil: then nothing is found
	}
	if !local || at == nil {
		return map[string]any{}
	}
	return at
}

// kind returns the type of the values, the first if there are several, or "" if the schema has
// none.
func (s schema) kind() string {
	switch t := s.node["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok && name != "null" {
				return name
			}
		}
	}
	if _, ok := s.node["properties"]; ok {
		return "object"
	}
	return ""
}

// accepts reports whether the schema allows values of a type. A schema without a type allows all.
func (s schema) accepts(kind string) bool {
	for _, k := range []string{"anyOf", "oneOf", "allOf", "$ref", "not", "if"} {
		if _, ok := s.node[k]; ok {
			return true // an exact answer would need a complete validator
		}
	}
	switch t := s.node["type"].(type) {
	case string:
		return t == kind || t == "number" && kind == "integer"
	case []any:
		return slices.Contains(t, any(kind))
	}
	return true
}

func (s schema) required() []string {
	all, _ := s.node["required"].([]any)
	var out []string
	seen := map[string]bool{}
	for _, one := range all {
		if name, ok := one.(string); ok && !seen[name] {
			out = append(out, name)
			seen[name] = true
		}
	}
	return out
}

// properties returns the names of the properties in alphabetical order.
func (s schema) properties() []string {
	all, _ := s.node["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(all))
}

func (s schema) property(name string) schema {
	all, _ := s.node["properties"].(map[string]any)
	one, _ := all[name].(map[string]any)
	return schema{one, s.root}
}

// free reports whether any text is valid, without a list of values, a format or a pattern.
func (s schema) free() bool {
	s = s.resolved()
	for _, k := range []string{"enum", "const", "format", "pattern"} {
		if _, ok := s.node[k]; ok {
			return false
		}
	}
	if limit, ok := s.node["maxLength"].(float64); ok && limit < 200 {
		return false
	}
	return s.kind() == "string"
}

// arguments returns valid arguments of a tool: the required ones, and those in with.
func (s schema) arguments(with map[string]any) map[string]any {
	out := map[string]any{}
	made := maker{left: maxValues}
	for _, name := range s.required() {
		out[name] = made.value(s.property(name), name, 0)
	}
	for name, v := range with {
		out[name] = v
	}
	return out
}

// A schema can be recursive or require many values, so both are limited:
const (
	maxDepth  = 5    // nesting of values
	maxValues = 1000 // values in the arguments of a call
)

// maker makes the values of one call.
type maker struct {
	left int // remaining values
}

// value returns a harmless value that the schema accepts, or nil at the limit.
func (m *maker) value(s schema, name string, depth int) any {
	if m.left--; m.left < 0 {
		return nil
	}
	s = s.resolved()
	for _, k := range []string{"const", "default"} {
		if v, ok := s.node[k]; ok && v != nil {
			return v
		}
	}
	for _, k := range []string{"enum", "examples"} {
		if all, ok := s.node[k].([]any); ok && len(all) > 0 {
			return all[0]
		}
	}
	switch s.kind() {
	case "integer":
		return math.Ceil(s.number())
	case "number":
		return s.number()
	case "boolean":
		return false
	case "array":
		out := []any{}
		items, _ := s.node["items"].(map[string]any)
		least, _ := s.node["minItems"].(float64)
		for range int(min(least, 10)) {
			if depth < maxDepth {
				out = append(out, m.value(schema{items, s.root}, name, depth+1))
			}
		}
		return out
	case "object":
		out := map[string]any{}
		for _, p := range s.required() {
			if depth < maxDepth {
				out[p] = m.value(s.property(p), p, depth+1)
			}
		}
		return out
	}
	return s.text(name)
}

// number returns the number within the limits that is nearest to 1.
func (s schema) number() float64 {
	v := 1.0
	bound := func(key string) (float64, bool) { f, ok := s.node[key].(float64); return f, ok }
	if low, ok := bound("exclusiveMinimum"); ok {
		v = max(v, low+1)
	}
	if low, ok := bound("minimum"); ok {
		v = max(v, low)
	}
	if high, ok := bound("exclusiveMaximum"); ok {
		v = min(v, high-1)
	}
	if high, ok := bound("maximum"); ok {
		v = min(v, high)
	}
	return v
}

// texts are harmless texts by format.
var texts = map[string]string{
	"uri":           "https://example.com/",
	"url":           "https://example.com/",
	"uri-reference": "/",
	"email":         "probe@example.com",
	"date":          "2026-01-01",
	"time":          "12:00:00Z",
	"date-time":     "2026-01-01T12:00:00Z",
	"uuid":          "00000000-0000-4000-8000-000000000000",
	"ipv4":          "192.0.2.1",
	"ipv6":          "2001:db8::1",
	"hostname":      "example.com",
}

// text returns a harmless text that fits the format, name and length.
func (s schema) text(name string) string {
	format, _ := s.node["format"].(string)
	out, ok := texts[format]
	if !ok {
		out = "probe"
		switch low := strings.ToLower(name); {
		case strings.Contains(low, "path") || strings.Contains(low, "dir") || strings.Contains(low, "folder"):
			out = "."
		case strings.Contains(low, "sql"):
			out = "SELECT 1"
		case strings.HasSuffix(low, "url") || strings.HasSuffix(low, "uri"):
			out = "https://example.com/"
		}
	}
	least, _ := s.node["minLength"].(float64)
	if n := min(int(least), 1000) - len(out); n > 0 {
		out += strings.Repeat("x", n)
	}
	if most, ok := s.node["maxLength"].(float64); ok && int(most) >= 0 && int(most) < len(out) {
		out = out[:int(most)]
	}
	return out
}

// carrier returns a tool's property for free text: one whose name suggests it, or else a required
// one, or else the first; "" if there is none.
func (s schema) carrier() string {
	var free []string
	for _, name := range s.properties() {
		if s.property(name).free() {
			free = append(free, name)
		}
	}
	for _, wanted := range []string{"text", "message", "content", "prompt", "query", "input", "question"} {
		if slices.Contains(free, wanted) {
			return wanted
		}
	}
	for _, name := range s.required() {
		if slices.Contains(free, name) {
			return name
		}
	}
	if len(free) > 0 {
		return free[0]
	}
	return ""
}
