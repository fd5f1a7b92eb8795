package main

import (
	"fmt"
	"go/ast"
)

// literalFields is how many keyed fields a literal may have on one line.
const literalFields = 3

// literal is a layout rule.
//
//	Reports: a struct literal of more than three keyed fields that puts two of them on one line.
//	Why:     a reader compares fields by running down a column; a diff shows the one field that changed.
//	Exempt:  literals of maps, slices and arrays, and fields without keys.
func literal(f *file) []finding {
	var findings []finding
	f.inspect(func(n ast.Node) {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || !hasFields(lit) {
			return
		}
		for i := 1; i < len(lit.Elts); i++ {
			if line := f.line(lit.Elts[i].Pos()); line == f.line(lit.Elts[i-1].End()) {
				findings = append(findings, finding{
					line:    line,
					message: fmt.Sprintf("two fields on one line in a literal of %d fields", len(lit.Elts)),
				})
				return
			}
		}
	})
	return findings
}

// hasFields reports whether lit looks like a struct with more keyed fields than may stand on one line. The type of an
// element of a map or a slice is often left out, so the form of the keys decides.
func hasFields(lit *ast.CompositeLit) bool {
	switch lit.Type.(type) {
	case *ast.MapType, *ast.ArrayType:
		return false
	}
	if len(lit.Elts) <= literalFields {
		return false
	}
	for _, element := range lit.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		if _, ok := pair.Key.(*ast.Ident); !ok {
			return false
		}
	}
	return true
}
