package rules

import (
	"errors"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// provider declares the objects of the rules to CEL, so that an unknown field is an error when a rule is compiled,
// not when it is evaluated.
type provider struct {
	*types.Registry
	objects   map[string]*object
	variables map[string]*variable
}

func newProvider() (*provider, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	p := &provider{registry, map[string]*object{}, map[string]*variable{}}
	for _, v := range variables() {
		p.variables[v.name], p.objects[v.typ.name] = &v, v.typ
		for _, f := range v.typ.fields {
			if inner, ok := f.get(emptyView()).(value); ok {
				p.objects[inner.of.name] = inner.of
			}
		}
	}
	return p, nil
}

// options declares the variables.
func (p *provider) options() []cel.EnvOption {
	out := []cel.EnvOption{cel.CustomTypeProvider(p), cel.CustomTypeAdapter(p), cel.CrossTypeNumericComparisons(true),
		cel.ParserRecursionLimit(50), cel.ParserExpressionSizeLimit(maxExpression)}
	for name, v := range p.variables {
		typ := v.typ.typ
		if v.list {
			typ = cel.ListType(typ)
		}
		out = append(out, cel.Variable(name, typ))
	}
	return out
}

// FindStructType implements [types.Provider].
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if o, ok := p.objects[name]; ok {
		return types.NewTypeTypeWithParam(o.typ), true
	}
	return p.Registry.FindStructType(name)
}

// FindStructFieldNames implements [types.Provider].
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	o, ok := p.objects[name]
	if !ok {
		return p.Registry.FindStructFieldNames(name)
	}
	var out []string
	for _, f := range o.fields {
		out = append(out, f.name)
	}
	return out, true
}

// FindStructFieldType implements [types.Provider].
func (p *provider) FindStructFieldType(name, fieldName string) (*types.FieldType, bool) {
	o, ok := p.objects[name]
	if !ok {
		return p.Registry.FindStructFieldType(name, fieldName)
	}
	f, ok := o.byName[fieldName]
	if !ok {
		return nil, false
	}
	return &types.FieldType{Type: f.typ,
		IsSet: func(of any) bool { got := f.get(of); return got != nil && !reflect.ValueOf(got).IsZero() },
		GetFrom: func(of any) (any, error) {
			got := f.get(of)
			if err, ok := got.(error); ok {
				return nil, err
			}
			return got, nil
		}}, true
}

// NewValue returns an error, because rules must not create objects.
func (p *provider) NewValue(name string, fields map[string]ref.Val) ref.Val {
	if _, ok := p.objects[name]; ok {
		return types.NewErr("a rule cannot make a %s", name)
	}
	return p.Registry.NewValue(name, fields)
}

// NativeToValue implements [types.Adapter].
func (p *provider) NativeToValue(v any) ref.Val {
	if o, ok := v.(value); ok {
		return o
	}
	return p.Registry.NativeToValue(v)
}

// value is an object in the form that CEL uses.
type value struct {
	of *object
	is any
}

var errNoNative = errors.New("an object of a rule cannot be converted to a Go value")

// ConvertToNative implements [ref.Val].
func (v value) ConvertToNative(reflect.Type) (any, error) { return nil, errNoNative }

// ConvertToType implements [ref.Val].
func (v value) ConvertToType(t ref.Type) ref.Val {
	if t == types.TypeType {
		return v.of.typ
	}
	return types.NewErr("a %s cannot become a %s", v.of.name, t.TypeName())
}

// Equal implements [ref.Val]. Objects cannot be compared as a whole, only their fields.
func (v value) Equal(other ref.Val) ref.Val {
	o, ok := other.(value)
	return types.Bool(ok && o.of == v.of && reflect.DeepEqual(o.is, v.is))
}

// Type implements [ref.Val].
func (v value) Type() ref.Type { return v.of.typ }

// Value implements [ref.Val].
func (v value) Value() any { return v.is }
