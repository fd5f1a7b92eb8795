package main

import "go/ast"

// conditional is a layout rule.
//
//	Reports: a map of truth values that is made to be indexed at once: map[bool]T{true: a, false: b}[condition].
//	Why:     it allocates, evaluates both values and hides a condition; an if statement does none of this.
//	Exempt:  nothing.
func conditional(f *file) []finding {
	var findings []finding
	f.inspect(func(n ast.Node) {
		index, ok := n.(*ast.IndexExpr)
		if !ok {
			return
		}
		lit, ok := index.X.(*ast.CompositeLit)
		if !ok {
			return
		}
		table, ok := lit.Type.(*ast.MapType)
		if !ok {
			return
		}
		if key, ok := table.Key.(*ast.Ident); ok && key.Name == "bool" {
			findings = append(findings, finding{
				line:    f.line(index.Pos()),
				message: "a map serves as a conditional; write an if statement",
			})
		}
	})
	return findings
}
