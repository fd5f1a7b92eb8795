package config

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Idle lists a key that looks like protection but has no effect, if it is set.
func TestIdleListsWhatIsSetAndHasNoEffect(t *testing.T) {
	type inner struct {
		Idle string `json:"idle" jsonschema:"what it would be (no effect yet)"`
		Acts string `json:"acts" jsonschema:"what it is"`
	}
	type outer struct {
		Inner inner `json:"inner"`
		Whole inner `json:"whole" jsonschema:"all of it (no effect yet)"`
	}
	for name, c := range map[string]struct {
		set  outer
		want []string
	}{
		"the defaults":                     {outer{}, nil},
		"a key with an effect":             {outer{Inner: inner{Acts: "x"}}, nil},
		"an idle key":                      {outer{Inner: inner{Idle: "x"}}, []string{"inner.idle"}},
		"an idle key beside one that acts": {outer{Inner: inner{"x", "y"}}, []string{"inner.idle"}},
		"below an idle section":            {outer{Whole: inner{Acts: "x"}}, []string{"whole.acts"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			walkIdle(reflect.ValueOf(c.set), reflect.ValueOf(outer{}), "", false, &got)
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if idle := Default().Idle(); len(idle) > 0 {
		t.Errorf("of the defaults %q have no effect", idle)
	}
}
