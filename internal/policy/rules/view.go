package rules

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// maxArguments is the maximum number of bytes of arguments that are parsed for rules.
const maxArguments = 1 << 20

// errTooLong reports that the arguments are longer than maxArguments.
var errTooLong = errors.New("the arguments are longer than 1 MB")

// view is a call in the form that rules read. It belongs to one evaluation.
type view struct {
	facts  *policy.Facts
	types  *provider
	args   any
	parsed bool
	kept   map[string]any // values of variables that were read
}

func emptyView() *view { return &view{facts: &policy.Facts{Call: &mcpproxy.Call{}}} }

// ResolveName returns the value of a variable.
func (v *view) ResolveName(name string) (any, bool) {
	if got, ok := v.kept[name]; ok {
		return got, true
	}
	of, ok := v.types.variables[name]
	if !ok {
		return nil, false
	}
	got := of.get(v)
	if of.list {
		items, _ := got.([]any)
		vals := make([]ref.Val, len(items))
		for i, item := range items {
			vals[i] = value{of.typ, item}
		}
		got = types.NewRefValList(v.types, vals)
	} else {
		got = value{of.typ, got}
	}
	if v.kept == nil {
		v.kept = map[string]any{}
	}
	v.kept[name] = got
	return got, true
}

// Parent returns nil: there are no other variables.
func (v *view) Parent() cel.Activation { return nil }

func (v *view) name() string { return v.facts.Call.Name() }

// signals returns the signals that are not suppressed.
func (v *view) signals() []mcpproxy.Signal {
	out := make([]mcpproxy.Signal, 0, len(v.facts.Signals))
	for _, s := range v.facts.Signals {
		if !s.Suppressed {
			out = append(out, s)
		}
	}
	return out
}

// arguments returns the parsed arguments, or the error of parsing them.
func (v *view) arguments() any {
	if v.parsed {
		return v.args
	}
	v.parsed = true
	raw := v.facts.Call.Arguments
	switch {
	case len(raw) == 0:
		v.args = map[string]any{}
	case len(raw) > maxArguments:
		v.args = errTooLong
	default:
		if err := json.Unmarshal(raw, &v.args); err != nil {
			v.args = fmt.Errorf("the arguments cannot be parsed")
		}
	}
	if v.args == nil {
		v.args = map[string]any{} // null
	}
	return v.args
}

func list[T any](items []T) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}
