package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mcpproxy/internal/suggest"
)

// unknownKey returns the error for an unknown key, with the key that was probably meant.
func unknownKey(path string) string {
	steps := strings.Split(path, ".")
	last := steps[len(steps)-1]
	msg := fmt.Sprintf("unknown key %q", last)
	if parent := strings.Join(steps[:len(steps)-1], "."); parent != "" {
		msg += " in " + parent
	}
	keys := keysAt(reflect.TypeFor[Config](), steps[:len(steps)-1])
	if near := suggest.Nearest(last, keys); near != "" {
		return msg + fmt.Sprintf("; did you mean %q?", near)
	}
	if len(keys) > 0 {
		return msg + "; known keys: " + strings.Join(keys, ", ")
	}
	return msg
}

// keysAt returns the keys of the object at a path.
func keysAt(t reflect.Type, path []string) []string {
	for _, step := range path {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Map, reflect.Slice:
			// The step is an index, or a name in the object form of servers.
			if _, err := strconv.Atoi(step); err == nil || t.Kind() == reflect.Map || t == reflect.TypeFor[Servers]() {
				t = t.Elem()
			}
		case reflect.Struct:
			f, ok := fieldNamed(t, step)
			if !ok {
				return nil
			}
			t = f.Type
		}
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for f := range t.Fields() {
		keys = append(keys, key(f))
	}
	slices.Sort(keys)
	return keys
}

func key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func fieldNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	for f := range t.Fields() {
		if key(f) == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}
