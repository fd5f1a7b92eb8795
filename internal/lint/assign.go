package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// assignValues is how many values one assignment may set at most.
const assignValues = 2

// assign is a layout rule.
//
//	Reports: an assignment or a variable declaration of three or more names with as many values on its right.
//	Why:     a reader has to count to find the value of a name.
//	Exempt:  an exchange, where a value on the right is also a name on the left; the headers of for, if and switch;
//	         the results of one call; constants.
func assign(f *file) []finding {
	headers := map[ast.Node]bool{}
	var findings []finding
	report := func(n ast.Node, count int) {
		findings = append(findings, finding{
			line:    f.line(n.Pos()),
			message: fmt.Sprintf("%d values in one assignment", count),
		})
	}
	f.inspect(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.ForStmt:
			headers[n.Init] = true
			headers[n.Post] = true
		case *ast.IfStmt:
			headers[n.Init] = true
		case *ast.SwitchStmt:
			headers[n.Init] = true
		case *ast.AssignStmt:
			if len(n.Rhs) > assignValues && !headers[n] && !exchanges(n) {
				report(n, len(n.Rhs))
			}
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && n.Tok == token.VAR && len(v.Values) > assignValues {
					report(v, len(v.Values))
				}
			}
		}
	})
	return findings
}

// exchanges reports whether a value of the assignment is also one of its names.
func exchanges(n *ast.AssignStmt) bool {
	var names []string
	for _, name := range n.Lhs {
		names = append(names, types.ExprString(name))
	}
	return slices.ContainsFunc(n.Rhs, func(value ast.Expr) bool {
		return slices.Contains(names, types.ExprString(value))
	})
}
