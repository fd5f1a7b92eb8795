package main

import "go/ast"

// conditional is a layout rule.
//
//	Reports: a map of truth values: map[bool]T{true: a, false: b}, indexed at once or kept in a variable.
//	Why:     it allocates, evaluates both values and hides a condition; an if statement does none of this.
//	Exempt:  tests, which may range over both values; maps that are empty at first, which count or collect.
func conditional(f *file) []finding {
	if f.isTest() {
		return nil
	}
	var findings []finding
	f.inspect(func(n ast.Node) {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) == 0 {
			return
		}
		table, ok := lit.Type.(*ast.MapType)
		if !ok {
			return
		}
		if key, ok := table.Key.(*ast.Ident); ok && key.Name == "bool" {
			findings = append(findings, finding{
				line:    f.line(lit.Pos()),
				message: "a map serves as a conditional; write an if statement",
			})
		}
	})
	return findings
}
