package bundle

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// said returns the values of the bundle's configuration by the names of their keys. A key that is
// not in [Keys], or that is [Local], is an error.
func (b *Bundle) said() (map[string]any, error) {
	if len(b.Config) == 0 {
		return map[string]any{}, nil
	}
	root := map[string]any{}
	if err := json.Unmarshal(b.Config, &root); err != nil {
		return nil, fmt.Errorf("config: %w", plain(err))
	}
	out := map[string]any{}
	if err := flatten(root, "", out); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return out, nil
}

// Said returns the names of the keys that the bundle's configuration sets, sorted.
func (b *Bundle) Said() []string {
	said, err := b.said()
	if err != nil {
		return nil // such a bundle was refused when it was parsed
	}
	return slices.Sorted(maps.Keys(said))
}

// flatten adds the values in the tree to the map of values by the names of their keys.
func flatten(in map[string]any, above string, out map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		v := in[name]
		full := strings.TrimPrefix(above+"."+name, ".")
		k, known := table[full]
		inner, isObject := v.(map[string]any)
		switch {
		case known && k.Order == Local:
			return fmt.Errorf("%s: a bundle cannot set this key, since its value belongs to one machine", full)
		case v == nil:
			return fmt.Errorf("%s: null is not allowed; leave the key out", full)
		case refers(v):
			return fmt.Errorf("%s: references such as ${env:NAME} are not resolved in a bundle; write the value", full)
		case known:
			out[full] = v
		case isObject && isSection(full):
			if err := flatten(inner, full, out); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s: unknown key", full)
		}
	}
	return nil
}

// isSection reports whether a name is a section, which has keys below it.
func isSection(name string) bool {
	for full := range table {
		if strings.HasPrefix(full, name+".") {
			return true
		}
	}
	return false
}

// refers reports whether a value contains a reference, such as ${env:NAME}, that a configuration file would resolve.
func refers(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "${")
	case []any:
		return slices.ContainsFunc(v, refers)
	case map[string]any:
		for name, inner := range v {
			if strings.Contains(name, "${") || refers(inner) {
				return true
			}
		}
	}
	return false
}

// Merge merges the bundle's configuration into a user's. Whole is the user's configuration with the
// defaults; Merge changes it. UserSaid reports whether the user's file sets a key. A key that the
// user's file does not set takes the bundle's value.
func (b *Bundle) Merge(whole map[string]any, userSaid func(name string) bool) error {
	said, err := b.said()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		k, value := table[name], said[name]
		mine, has := get(whole, name)
		switch {
		case k.Order == Beside:
			continue
		case has && userSaid(name):
			if value, err = k.stricter(value, mine); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		put(whole, name, value)
	}
	return nil
}

// stricter returns the stricter of the bundle's value and the user's.
func (k Key) stricter(theirs, mine any) (any, error) {
	switch k.Order {
	case Choice:
		return later(k.Values, theirs, mine)
	case True, False:
		a, okA := theirs.(bool)
		b, okB := mine.(bool)
		if !okA || !okB {
			return nil, errForm
		}
		if k.Order == True {
			return a || b, nil
		}
		return a && b, nil
	case Lower, LowerLimit, Higher:
		return k.number(theirs, mine)
	case Shorter:
		return shorter(theirs, mine)
	case Intersected, United, UnitedOrAll:
		return k.lists(theirs, mine)
	case PerName:
		return perName(k.Values, theirs, mine)
	}
	return theirs, nil
}

var errForm = fmt.Errorf("the value has the wrong type for the key")

// later returns the value that comes later in the order. An unknown value counts as the first.
func later(order []string, theirs, mine any) (any, error) {
	a, okA := theirs.(string)
	b, okB := mine.(string)
	if !okA || !okB {
		return nil, errForm
	}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b, nil
	}
	return a, nil
}

func (k Key) number(theirs, mine any) (any, error) {
	a, okA := theirs.(float64)
	b, okB := mine.(float64)
	switch {
	case !okA || !okB:
		return nil, errForm
	case k.Order == Higher:
		return max(a, b), nil
	case k.Order == LowerLimit && a == 0:
		return b, nil
	case k.Order == LowerLimit && b == 0:
		return a, nil
	}
	return min(a, b), nil
}

func shorter(theirs, mine any) (any, error) {
	a, okA := theirs.(string)
	b, okB := mine.(string)
	if !okA || !okB {
		return nil, errForm
	}
	long, err := time.ParseDuration(a)
	if err != nil {
		return nil, errForm
	}
	if d, err := time.ParseDuration(b); err == nil && d < long {
		return b, nil
	}
	return a, nil
}

func (k Key) lists(theirs, mine any) (any, error) {
	a, okA := theirs.([]any)
	b, okB := mine.([]any)
	if mine == nil {
		okB = true
	}
	switch {
	case !okA || !okB:
		return nil, errForm
	case k.Order == Intersected:
		out := []any{}
		for _, v := range a {
			if slices.ContainsFunc(b, func(other any) bool { return reflect.DeepEqual(v, other) }) {
				out = append(out, v)
			}
		}
		return out, nil
	case k.Order == UnitedOrAll && (len(a) == 0 || len(b) == 0):
		return []any{}, nil
	}
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.ContainsFunc(a, func(other any) bool { return same(v, other) }) {
			out = append(out, v)
		}
	}
	return out, nil
}

// same reports whether two elements of a list are the same: equal values, or objects with the same name.
func same(a, b any) bool {
	x, okX := a.(map[string]any)
	y, okY := b.(map[string]any)
	if okX && okY && x["name"] != nil {
		return x["name"] == y["name"]
	}
	return reflect.DeepEqual(a, b)
}

func perName(order []string, theirs, mine any) (any, error) {
	a, okA := theirs.(map[string]any)
	b, okB := mine.(map[string]any)
	if !okA || !okB && mine != nil {
		return nil, errForm
	}
	out := maps.Clone(a)
	for name, v := range b {
		if was, ok := a[name]; ok {
			stricter, err := later(order, was, v)
			if err != nil {
				return nil, err
			}
			v = stricter
		}
		out[name] = v
	}
	return out, nil
}

// get returns the value of a key.
func get(in map[string]any, name string) (any, bool) {
	for {
		first, rest, below := strings.Cut(name, ".")
		v, ok := in[first]
		if !below || !ok {
			return v, ok
		}
		inner, isObject := v.(map[string]any)
		if !isObject {
			return nil, false
		}
		in, name = inner, rest
	}
}

// put sets the value of a key.
func put(in map[string]any, name string, v any) {
	for {
		first, rest, below := strings.Cut(name, ".")
		if !below {
			in[first] = v
			return
		}
		inner, ok := in[first].(map[string]any)
		if !ok {
			inner = map[string]any{}
			in[first] = inner
		}
		in, name = inner, rest
	}
}

// Has returns a function that reports whether a configuration has a key.
func Has(in map[string]any) func(name string) bool {
	return func(name string) bool {
		_, ok := get(in, name)
		return ok
	}
}

// Floor returns the bundle's part of a configuration alone. Keys that decide about calls and that
// the bundle does not set have the value that forbids nothing.
func (b *Bundle) Floor() (jsontext.Value, error) {
	said, err := b.said()
	if err != nil {
		return nil, err
	}
	out := Permissive()
	for name, v := range said {
		put(out, name, v)
	}
	return json.Marshal(out, json.Deterministic(true))
}
