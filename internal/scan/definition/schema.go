package definition

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

const idSchema = "schema.poisoned"

var schemaGroup = group{
	kinds:  append(append([]string{rowSteer}, phraseGroup.kinds...), imperativeGroup.kinds...),
	threat: threatPoisoning,
	where:  outsideProse,
	least:  0.25,
	proof:  0.35,
}

// inspectSchema reports instructions where a definition should have none: in names, titles, defaults, enumerations,
// examples, comments, output schemas, annotations and metadata. It also reports icons that contain scripts.
func inspectSchema(tool *ToolView, _ *RegistryView) []Signal {
	r := tool.read()
	out := append(r.told(schemaGroup), frames(tool, outsideProse)...)
	return append(append(out, commands(tool, outsideProse)...), icons(r)...)
}

// icons examines the addresses of a definition's icons.
func icons(r *parsedDefinition) []Signal {
	var out []Signal
	for i := range r.doc.Parts {
		p := &r.doc.Parts[i]
		if p.Kind != text.Value || !activeURI(p.Text) {
			continue
		}
		out = append(out, Signal{
			Tier:       scan.TierHard,
			ThreatType: threatCode,
			Severity:   mcpproxy.SeverityHigh,
			Confidence: 0.9,
			Evidence:   p.Text[:min(len(p.Text), maxEvidence)],
			Detail:     "An address runs a script where it is shown.",
			Path:       r.path(*p),
		})
	}
	return out
}

// activeURI reports whether s is an address that runs a script in a browser.
func activeURI(s string) bool {
	head := strings.ToLower(strings.TrimLeft(s[:min(len(s), 64)], " \t\n"))
	switch {
	case strings.HasPrefix(head, "javascript:") || strings.HasPrefix(head, "vbscript:"):
		return len(head) > len("javascript:") && !strings.HasPrefix(head, "javascript: ")
	case !strings.HasPrefix(head, "data:"):
		return false
	case strings.HasPrefix(head, "data:text/html") || strings.HasPrefix(head, "data:application/xhtml") || strings.HasPrefix(head, "data:text/javascript"):
		return true
	case !strings.HasPrefix(head, "data:image/svg"):
		return false
	}
	d, err := text.Parse(text.Quote(s), "")
	if err != nil {
		return true
	}
	for _, v := range d.Views() {
		if scripted(v.Text) {
			return true
		}
	}
	return false
}

// scripted reports whether an SVG picture contains a script.
func scripted(s string) bool {
	low := strings.ToLower(s)
	for _, sign := range [...]string{"<script", "javascript:", " onload=", " onerror=", " onclick=", " onmouseover=", " onbegin=", "<foreignobject"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// property is a parameter of a tool.
type property struct {
	name        string
	description string
}

// properties returns the parameters at the top level of a schema, or a prompt's arguments; none if the value is not a
// schema.
func properties(schema json.RawMessage) []property {
	if len(schema) == 0 {
		return nil
	}
	var out []property
	var list []struct{ Name, Description string }
	if json.Unmarshal(schema, &list) == nil {
		for _, a := range list {
			out = append(out, property{name: a.Name, description: a.Description})
		}
		return out
	}
	var s struct {
		Properties map[string]json.RawMessage
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	for name, raw := range s.Properties {
		var p struct{ Description string }
		_ = json.Unmarshal(raw, &p) // a description of another type is ignored
		out = append(out, property{name: name, description: p.Description})
	}
	slices.SortFunc(out, func(a, b property) int { return cmp.Compare(a.name, b.name) })
	return out
}
