package rules

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"
)

// written returns a canonical text of an expression: equal for equal expressions, and different
// for others. It is not meant for people.
func written(e ast.Expr) string {
	var b strings.Builder
	write(&b, e)
	return b.String()
}

func write(b *strings.Builder, e ast.Expr) {
	switch e.Kind() {
	case ast.LiteralKind:
		fmt.Fprintf(b, "%T(%q)", e.AsLiteral(), fmt.Sprint(e.AsLiteral().Value()))
	case ast.IdentKind:
		b.WriteString(e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		write(b, s.Operand())
		fmt.Fprintf(b, ".%s(%t)", s.FieldName(), s.IsTestOnly())
	case ast.CallKind:
		c := e.AsCall()
		all := c.Args()
		if c.IsMemberFunction() {
			all = append([]ast.Expr{c.Target()}, all...)
		}
		writeAll(b, c.FunctionName(), all...)
	case ast.ListKind:
		writeAll(b, "list", e.AsList().Elements()...)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			writeAll(b, "entry", entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		fmt.Fprintf(b, "for %s, %s, %s ", c.IterVar(), c.IterVar2(), c.AccuVar())
		writeAll(b, "in", c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result())
	default:
		fmt.Fprintf(b, "expression %d", e.ID())
	}
}

func writeAll(b *strings.Builder, name string, all ...ast.Expr) {
	b.WriteString(name + "(")
	for _, e := range all {
		write(b, e)
		b.WriteString("; ")
	}
	b.WriteString(")")
}
