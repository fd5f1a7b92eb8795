package adversary

import "encoding/json"

// draft is a definition under construction.
type draft struct {
	tool         map[string]any
	schema       map[string]any // the tool's input schema
	parameter    map[string]any // the name of the schema's only parameter
	prompt       map[string]any // nil means that the definition has no annotations
	instructions string
	answer       map[string]any
}

// field is a part of a definition that a model reads.
type field struct {
	name  string
	where string // for the summary
	id    bool   // the field contains an identifier
	put   func(d *draft, text string)
}

// fields lists the parts.
var fields = []field{
	{
		"description",
		"the description of a tool",
		false,
		func(d *draft, s string) { d.tool["description"] = after(d.tool["description"], s) },
	},
	{"title", "the title of a tool", false, func(d *draft, s string) { d.tool["title"] = after("Tool", s) }},
	{"name", "the name of a tool", true, func(d *draft, s string) { d.tool["name"] = d.tool["name"].(string) + s }},
	{"parameter_name", "the name of a parameter", true, func(d *draft, s string) {
		d.schema["properties"].(map[string]any)["extra"+s] = map[string]any{"type": "string"}
	}},
	{"parameter_description", "the description of a parameter", false, func(d *draft, s string) {
		d.parameter["description"] = after(d.parameter["description"], s)
	}},
	{"default", "the default of a parameter", false, func(d *draft, s string) { d.parameter["default"] = s }},
	{
		"enum",
		"a value that a parameter may have",
		false,
		func(d *draft, s string) { d.parameter["enum"] = []string{"short", s} },
	},
	{
		"examples",
		"the examples of a parameter",
		false,
		func(d *draft, s string) { d.parameter["examples"] = []string{s} },
	},
	{"schema_comment", "a comment in the schema", false, func(d *draft, s string) { d.schema["$comment"] = s }},
	{"output_schema", "the output schema", false, func(d *draft, s string) {
		d.tool["outputSchema"] = map[string]any{
			"type": "object",
			"properties": map[string]any{
				"value": map[string]any{"type": "string", "description": after("The answer.", s)},
			},
		}
		d.answer["structuredContent"] = map[string]any{"value": "done"}
	}},
	{"annotations", "the title in the annotations", false, func(d *draft, s string) {
		d.tool["annotations"] = map[string]any{"title": s, "readOnlyHint": true}
	}},
	{"icons", "a picture that is a text", false, func(d *draft, s string) {
		d.tool["icons"] = []any{
			map[string]any{
				"src":      "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><desc>" + s + "</desc></svg>",
				"mimeType": "image/svg+xml",
			},
		}
	}},
	{
		"meta",
		"the _meta of a tool",
		false,
		func(d *draft, s string) { d.tool["_meta"] = map[string]any{"notes.example/about": s} },
	},
	{"prompt", "the description of a prompt", false, func(d *draft, s string) {
		d.prompt = map[string]any{"name": "ask_" + d.tool["name"].(string), "description": after("Asks the tool.", s)}
	}},
	{"prompt_argument", "the description of a prompt's argument", false, func(d *draft, s string) {
		d.prompt = map[string]any{"name": "ask_" + d.tool["name"].(string), "description": "Asks the tool.",
			"arguments": []any{map[string]any{"name": "topic", "description": after("What to ask.", s)}}}
	}},
}

func after(before any, s string) string { return before.(string) + " " + s }

// act returns an act that serves the draft.
func (d *draft) act() Act {
	a := Act{Instructions: d.instructions, Tools: []Tool{{Definition: encode(d.tool), Answer: encode(d.answer)}}}
	a.Script = []Step{{Tool: d.tool["name"].(string), Args: json.RawMessage("{}"), Intent: "read"}}
	if d.prompt != nil {
		a.Prompts = []Prompt{{Definition: encode(d.prompt), Answer: encode(promptResult("What is it?"))}}
		a.Script = append(a.Script, Step{Prompt: d.prompt["name"].(string)})
	}
	return a
}

// encode returns v as JSON. It panics if that is impossible, which cannot happen for the values of this package.
func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
