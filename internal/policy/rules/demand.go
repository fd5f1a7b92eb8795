package rules

import (
	"math"
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// demand is what one part of a condition requires of one field: that it is equal to a constant, less than a constant,
// or in a list of constants.
type demand struct {
	of     string // the path of the field, such as call.server
	how    string // an operator of CEL
	values []any  // strings, numbers as float64, or booleans
}

// mirrored maps an operator to the operator with exchanged operands.
var mirrored = map[string]string{
	operators.Equals:        operators.Equals,
	operators.NotEquals:     operators.NotEquals,
	operators.Less:          operators.Greater,
	operators.Greater:       operators.Less,
	operators.LessEquals:    operators.GreaterEquals,
	operators.GreaterEquals: operators.LessEquals,
}

// demandOf returns the demand of a part of a condition. ok is false if the part has another form.
func demandOf(e ast.Expr) (d demand, ok bool) {
	if path := pathOf(e); path != "" {
		return demand{path, operators.Equals, []any{true}}, true
	}
	if e.Kind() != ast.CallKind {
		return demand{}, false
	}
	call := e.AsCall()
	args := call.Args()
	switch how := call.FunctionName(); {
	case how == operators.LogicalNot && len(args) == 1:
		if path := pathOf(args[0]); path != "" {
			return demand{path, operators.Equals, []any{false}}, true
		}
		if inner, ok := demandOf(args[0]); ok && inner.how == operators.In {
			return demand{inner.of, notIn, inner.values}, true
		}
	case how == operators.In && len(args) == 2 && args[1].Kind() == ast.ListKind:
		var values []any
		for _, item := range args[1].AsList().Elements() {
			v, ok := constant(item)
			if !ok {
				return demand{}, false
			}
			values = append(values, v)
		}
		path := pathOf(args[0])
		return demand{path, how, values}, path != ""
	case mirrored[how] != "" && len(args) == 2:
		if v, ok := constant(args[1]); ok {
			path := pathOf(args[0])
			return demand{path, how, []any{v}}, path != ""
		}
		if v, ok := constant(args[0]); ok {
			path := pathOf(args[1])
			return demand{path, mirrored[how], []any{v}}, path != ""
		}
	}
	return demand{}, false
}

// notIn is the operator of a negated "in".
const notIn = "not in"

// pathOf returns a chain of selections as text, and "" for other expressions.
func pathOf(e ast.Expr) string {
	if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() {
		return ""
	}
	s := e.AsSelect()
	switch s.Operand().Kind() {
	case ast.IdentKind:
		return s.Operand().AsIdent() + "." + s.FieldName()
	case ast.SelectKind:
		if path := pathOf(s.Operand()); path != "" {
			return path + "." + s.FieldName()
		}
	}
	return ""
}

func constant(e ast.Expr) (any, bool) {
	if e.Kind() != ast.LiteralKind {
		return nil, false
	}
	switch v := e.AsLiteral().(type) {
	case types.String:
		return string(v), true
	case types.Bool:
		return bool(v), true
	case types.Int:
		return float64(v), true
	case types.Uint:
		return float64(v), true
	case types.Double:
		return float64(v), true
	}
	return nil, false
}

// room is the set of values that a field can still have.
type room struct {
	among     []any // nil for any value
	limited   bool  // among limits the values
	not       []any
	low, high float64
	openLow   bool // low itself is excluded
	openHigh  bool
	numbers   bool // a number was required
}

// roomOf returns all values that a field can have.
func roomOf(path string, p *provider) *room {
	r := &room{low: math.Inf(-1), high: math.Inf(1)}
	switch path {
	case "risk.score":
		r.low, r.high = 0, 100
	case "time.hour":
		r.low, r.high = 0, 23
	}
	for name, v := range p.variables {
		for _, f := range v.typ.fields {
			if name+"."+f.name != path || v.list || f.values == nil {
				continue
			}
			r.limited = true
			for _, s := range f.values {
				r.among = append(r.among, s)
			}
		}
	}
	return r
}

// demand applies a demand and reports whether any value is left.
func (r *room) demand(d demand) bool {
	switch d.how {
	case operators.Equals, operators.In:
		if r.limited {
			r.among = slices.DeleteFunc(
				slices.Clone(r.among),
				func(v any) bool { return !slices.Contains(d.values, v) },
			)
		} else {
			r.among, r.limited = slices.Clone(d.values), true
		}
	case operators.NotEquals, notIn:
		r.not = append(r.not, d.values...)
	default:
		n, ok := d.values[0].(float64)
		if !ok {
			return true
		}
		r.numbers = true
		r.bound(d.how, n)
	}
	return r.left()
}

func (r *room) bound(how string, n float64) {
	switch open := how == operators.Less || how == operators.Greater; how {
	case operators.Less, operators.LessEquals:
		if n < r.high || n == r.high && open {
			r.high, r.openHigh = n, open
		}
	case operators.Greater, operators.GreaterEquals:
		if n > r.low || n == r.low && open {
			r.low, r.openLow = n, open
		}
	}
}

// left reports whether any value is left.
func (r *room) left() bool {
	if r.low > r.high || r.low == r.high && (r.openLow || r.openHigh) {
		return false
	}
	if !r.limited {
		return true
	}
	return slices.ContainsFunc(r.among, func(v any) bool {
		if slices.Contains(r.not, v) {
			return false
		}
		n, ok := v.(float64)
		return !ok || n >= r.low && n <= r.high && !(n == r.low && r.openLow) && !(n == r.high && r.openHigh)
	})
}
