package rules

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// quick is a part of a condition that can be checked without CEL, because it only compares a field with constants. If
// it is false, the condition is false.
type quick struct {
	demand
	variable *variable
	field    *field
}

// quickDemands returns the parts of a condition that can be checked without CEL.
func quickDemands(e ast.Expr, p *provider) []quick {
	var out []quick
	for _, part := range conjuncts(e) {
		d, ok := demandOf(part)
		if !ok {
			continue
		}
		for name, v := range p.variables {
			for i := range v.typ.fields {
				f := &v.typ.fields[i]
				if !v.list && name+"."+f.name == d.of && (f.typ == text || f.typ == yes) &&
					slices.Contains(quickly, d.how) {
					out = append(out, quick{d, v, f})
				}
			}
		}
	}
	return out
}

// quickly are the operators that can be checked without CEL.
var quickly = []string{operators.Equals, operators.NotEquals, operators.In, notIn}

// met reports whether the comparison is true for a call.
func (q *quick) met(v *view) bool {
	got := q.field.get(q.variable.get(v))
	among := slices.Contains(q.values, got)
	if q.how == operators.Equals || q.how == operators.In {
		return among
	}
	return !among
}

// costly reports whether an expression can cost more than its length suggests: it has nested loops, or a loop that
// reads the call, whose arguments can be long.
func costly(e ast.Expr, inside bool) bool {
	if e.Kind() == ast.ComprehensionKind {
		c := e.AsComprehension()
		return inside || slices.ContainsFunc(children(e), reads) || costly(c.LoopStep(), true) ||
			costly(c.LoopCondition(), true) ||
			costly(c.IterRange(), inside)
	}
	return slices.ContainsFunc(children(e), func(child ast.Expr) bool { return costly(child, inside) })
}

// reads reports whether an expression reads call.args or a value derived from it.
func reads(e ast.Expr) bool {
	if e.Kind() == ast.SelectKind && e.AsSelect().FieldName() == "args" ||
		e.Kind() == ast.IdentKind && e.AsIdent() == "call" {
		return true
	}
	return slices.ContainsFunc(children(e), reads)
}

// children returns the subexpressions of an expression.
func children(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			return append([]ast.Expr{c.Target()}, c.Args()...)
		}
		return c.Args()
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		var out []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			out = append(out, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return out
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}
	}
	return nil
}
