package trust

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxDefinition is the maximum size of a definition, in bytes.
const maxDefinition = 1 << 20

// maxDepth is the maximum nesting of a definition. The JSON libraries have a limit of 10,000; this
// one leaves room for the document around a definition.
const maxDepth = 1000

var (
	errTooLarge = fmt.Errorf("a definition of more than %d KB", maxDefinition>>10)
	errTooDeep  = fmt.Errorf("a definition that nests deeper than %d levels", maxDepth)
)

// tree decodes a definition into maps, slices, strings, numbers and so on. Definitions with the
// same meaning give equal trees. tree refuses what two parsers could read differently: duplicate
// keys and invalid UTF-8.
func tree(raw json.RawMessage) (map[string]any, error) {
	if len(raw) > maxDefinition {
		return nil, errTooLarge
	}
	v := jsontext.Value(bytes.Clone(raw))
	// Whole numbers keep their digits, because rounding to a double could hide a difference.
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		return nil, fmt.Errorf("no valid JSON: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(v))
	dec.UseNumber()
	var out map[string]any
	if err := dec.Decode(&out); err != nil || out == nil {
		return nil, errors.New("no JSON object")
	}
	if deeper(out, maxDepth) {
		return nil, errTooDeep
	}
	for _, part := range []string{"inputSchema", "outputSchema"} {
		sortSets(out[part])
	}
	return out, nil
}

// deeper reports whether v is nested deeper than a number of levels.
func deeper(v any, levels int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			if levels == 0 || deeper(inner, levels-1) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if levels == 0 || deeper(inner, levels-1) {
				return true
			}
		}
	}
	return false
}

// sets are the keywords of JSON Schema whose arrays are unordered.
var sets = []string{"required", "enum", "type"}

// sortSets sorts arrays that represent sets, because schema generators write them in varying order.
func sortSets(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if list, ok := inner.([]any); ok && slices.Contains(sets, name) && simple(list) {
				sortEncoded(list)
			}
			sortSets(inner)
		}
	case []any:
		for _, inner := range v {
			sortSets(inner)
		}
	}
}

// sortEncoded sorts by the canonical JSON of the elements. If an element cannot be encoded, the
// list stays unchanged, and encoding the whole list reports the error.
func sortEncoded(list []any) {
	keys := make(map[any]string, len(list))
	for _, v := range list {
		key, err := encoded(v)
		if err != nil {
			return
		}
		keys[v] = key
	}
	slices.SortFunc(list, func(a, b any) int { return cmp.Compare(keys[a], keys[b]) })
}

func simple(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return false
	})
}

// encoded returns v as canonical JSON (RFC 8785, but whole numbers keep all their digits).
func encoded(v any) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("encoding a definition: %w", err)
	}
	text := jsontext.Value(out.Bytes())
	if err := text.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		return "", fmt.Errorf("encoding a definition: %w", err)
	}
	return string(text), nil
}

// NameOf returns the name in a definition of a tool or prompt. It refuses a definition in which
// another parser could read another name. With that error it returns the name that most parsers
// would read.
func NameOf(raw json.RawMessage) (string, error) {
	var d struct {
		Name string `json:"name"`
	}
	if err := strict.Unmarshal(raw, &d, strict.MatchCaseInsensitiveNames(true)); err != nil {
		_ = strict.Unmarshal(
			raw,
			&d,
			strict.MatchCaseInsensitiveNames(true),
			jsontext.AllowDuplicateNames(true),
			jsontext.AllowInvalidUTF8(true),
		)
		return d.Name, err
	}
	if d.Name == "" {
		return "", errors.New("a definition without a name")
	}
	return d.Name, nil
}
