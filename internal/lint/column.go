package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"unicode/utf8"
)

const (
	// columns is the width that a line must stay below.
	columns = 120
	// tab is the number of columns of a tab.
	tab = 4
)

// column is a layout rule.
//
//	Reports: a line of Go of 120 columns or more, a tab counted as four.
//	Why:     two files fit beside each other on a screen, and a review shows whole lines.
//	Exempt:  tests, whose tables put one case on a line; a line that would be short enough without its strings and
//	         struct tags; directives such as //go:generate; a comment of one word, such as an address.
func column(f *file) []finding {
	if f.ast == nil || f.isTest() {
		return nil
	}
	inStrings := f.columnsInStrings()
	var findings []finding
	for i, line := range f.lines() {
		width := widthOf(line)
		if width-inStrings[i+1] < columns || isUnbreakable(line) {
			continue
		}
		findings = append(findings, finding{
			line:    i + 1,
			message: fmt.Sprintf("%d columns", width),
		})
	}
	return findings
}

// widthOf returns the columns that a line takes.
func widthOf(line string) int {
	return utf8.RuneCountInString(line) + (tab-1)*strings.Count(line, "\t")
}

// isUnbreakable reports whether a line is a directive or a comment of one word.
func isUnbreakable(line string) bool {
	comment, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
	return ok && (strings.HasPrefix(comment, "go:") || len(strings.Fields(comment)) == 1)
}

// columnsInStrings returns, by line, the columns that string literals and struct tags take.
func (f *file) columnsInStrings() map[int]int {
	taken := map[int]int{}
	f.inspect(func(n ast.Node) {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return
		}
		for i, part := range strings.Split(lit.Value, "\n") {
			taken[f.line(lit.Pos())+i] += widthOf(part)
		}
	})
	return taken
}

// offset returns the offset of a position in the file.
func (f *file) offset(pos token.Pos) int {
	return f.fset.Position(pos).Offset
}
