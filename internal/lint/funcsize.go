package main

import (
	"fmt"
	"go/ast"
)

// funcLines is how many lines a function may have, its signature and its closing brace included.
const funcLines = 80

// funcsize is a layout rule.
//
//	Reports: a function of more than 80 lines.
//	Why:     a function does one thing; a long one does several, and steps of it deserve names.
//	Exempt:  tests.
func funcsize(f *file) []finding {
	if f.isTest() {
		return nil
	}
	var findings []finding
	f.inspect(func(n ast.Node) {
		decl, ok := n.(*ast.FuncDecl)
		if !ok {
			return
		}
		if lines := f.line(decl.End()) - f.line(decl.Pos()) + 1; lines > funcLines {
			findings = append(findings, finding{
				line:    f.line(decl.Pos()),
				message: fmt.Sprintf("%s has %d lines; give its steps names", decl.Name.Name, lines),
			})
		}
	})
	return findings
}
