package gateway

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// flatten prepares the structured content of a long result for pages of text. Short content stays in the first page.
// Long content becomes text if the tool declares no output schema, because clients then do not require structured
// content. If the schema describes a single string that is also the result's text, flatten returns the name of the
// string's member as wrapper. The first page then contains the beginning of the string under that name.
func flatten(
	c *caller,
	call *mcpproxy.Call,
	result []byte,
	texts []string,
	limit int,
) (flat []byte, all []string, wrapper, why string) {
	structured := wire.Member(result, "structuredContent")
	if structured == nil || len(structured) <= limit/2 {
		return result, texts, "", ""
	}
	flat = wire.Without(result, "structuredContent")
	name, value := singleString(structured)
	if !demandsStructure(c, call) {
		if name != "" && slices.Equal(texts, []string{value}) || slices.ContainsFunc(texts, sameJSON(structured)) {
			return flat, texts, "", ""
		}
		spaced := jsontext.Value(bytes.Clone(structured))
		if err := spaced.Format(jsontext.SpaceAfterComma(true), jsontext.PreserveRawStrings(true)); err != nil {
			return nil, nil, "", "its structured content is not JSON"
		}
		return flat, append(slices.Clone(texts), "The structured content of this result:", string(spaced)), "", ""
	}
	if name != "" && slices.Equal(texts, []string{value}) && takesAnyString(call.Definition.Raw, name) {
		return flat, texts, name, ""
	}
	return nil, nil, "", "its structured content is long, and clients read it as one value, since the tool declares " +
		"an output schema"
}

// finderPath is the endpoint whose tools find and call others.
const finderPath = "/mcp"

// demandsStructure reports whether the client may require structured content in the results of a call: the definition
// that the client got has an output schema, or is unknown. The tools of /mcp, which call others, have no output
// schemas.
func demandsStructure(c *caller, call *mcpproxy.Call) bool {
	if c.endpoint == finderPath {
		return false
	}
	return call.Definition == nil || wire.Member(call.Definition.Raw, "outputSchema") != nil
}

// singleString returns the name and the value of the only member of an object, if the value is a string. Otherwise the
// name is empty.
func singleString(object []byte) (name, value string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || len(members) != 1 {
		return "", ""
	}
	for k, raw := range members {
		if json.Unmarshal(raw, &value) == nil && raw[0] == '"' {
			return k, value
		}
	}
	return "", ""
}

// takesAnyString reports whether a tool's output schema allows every string as the value of a member: it declares a
// string without limits of length or form.
func takesAnyString(definition []byte, name string) bool {
	var schema struct {
		Type       string                                `json:"type"`
		Properties map[string]map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(wire.Member(definition, "outputSchema"), &schema) != nil || schema.Type != "object" {
		return false
	}
	property := schema.Properties[name]
	for key := range property {
		if !slices.Contains([]string{"type", "title", "description"}, key) {
			return false
		}
	}
	return string(property["type"]) == `"string"`
}

// sameJSON returns a function that reports whether a text is the same JSON value, in whatever formatting.
func sameJSON(value []byte) func(text string) bool {
	canonical := jsontext.Value(bytes.Clone(value))
	if canonical.Canonicalize() != nil {
		return func(string) bool { return false }
	}
	return func(text string) bool {
		other := jsontext.Value(text)
		return len(text) >= len(value)/2 && other.Canonicalize() == nil && bytes.Equal(other, canonical)
	}
}
