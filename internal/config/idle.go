package config

import (
	"reflect"
	"slices"
	"strings"
)

// idleMark appears in the description of a key that is accepted and validated but has no effect in
// this version.
const idleMark = "(no effect yet)"

// Idle lists the keys that differ from their defaults but have no effect in this version. They must
// be reported, because a user may rely on them for protection.
func (c *Config) Idle() []string {
	var keys []string
	walkIdle(reflect.ValueOf(*c), reflect.ValueOf(*Default()), "", false, &keys)
	slices.Sort(keys)
	return keys
}

func walkIdle(v, without reflect.Value, path string, idle bool, keys *[]string) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			walkIdle(v.Field(i), without.Field(i), strings.TrimPrefix(path+"."+key(f), "."),
				idle || strings.Contains(f.Tag.Get("jsonschema"), idleMark), keys)
		}
	case v.Type() == reflect.TypeFor[Servers]():
		for _, s := range v.Interface().(Servers) {
			walkIdle(reflect.ValueOf(s), reflect.ValueOf(Server{}), path+"."+s.Name, idle, keys)
		}
	case idle && !reflect.DeepEqual(v.Interface(), without.Interface()):
		*keys = append(*keys, path)
	}
}
