package config

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
)

// Merge merges a part of a configuration into a configuration file according to RFC 7396: objects
// are merged key by key, null removes a key, and other values, including lists, are replaced.
// Comments in both are allowed and lost. Lookup resolves the ${…} references of the file.
// References in the part, which may be untrusted, stay unresolved: the result must be parsed
// without a lookup.
func Merge(file, part []byte, lookup func(kind, name string) (string, error)) ([]byte, error) {
	base, err := plainObject(file)
	if err != nil {
		return nil, err
	}
	if _, err := resolved(base, lookup); err != nil {
		return nil, err
	}
	change, err := plainObject(part)
	if err != nil {
		return nil, err
	}
	return json.Marshal(merged(base, change), json.Deterministic(true))
}

// plainObject decodes a file into plain values.
func plainObject(raw []byte) (map[string]any, error) {
	standard, err := hujson.Standardize(bytes.Clone(whole(raw)))
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	if err := json.Unmarshal(standard, &out); err != nil {
		return nil, fmt.Errorf("must be an object: %w", err)
	}
	return out, nil
}

// resolved returns a value of a file with its references resolved. It changes objects and lists in
// place.
func resolved(v any, lookup func(kind, name string) (string, error)) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		return expand(v, lookup)
	case map[string]any:
		for key := range v {
			if v[key], err = resolved(v[key], lookup); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = resolved(v[i], lookup); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func merged(base, change map[string]any) map[string]any {
	if base == nil {
		base = map[string]any{}
	}
	for key, v := range change {
		switch inner, isObject := v.(map[string]any); {
		case v == nil:
			delete(base, key)
		case isObject:
			was, _ := base[key].(map[string]any)
			base[key] = merged(was, inner)
		default:
			base[key] = v
		}
	}
	return base
}
