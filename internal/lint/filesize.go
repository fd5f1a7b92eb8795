package main

import "fmt"

// fileLines is how many lines a file may have.
const fileLines = 600

// filesize is a layout rule.
//
//	Reports: a Go file of more than 600 lines.
//	Why:     a file holds one idea; a long one holds several, which are easier to find under names of their own.
//	Exempt:  tests.
func filesize(f *file) []finding {
	if f.ast == nil || f.isTest() {
		return nil
	}
	if n := len(f.lines()); n > fileLines {
		return []finding{{
			line:    fileLines + 1,
			message: fmt.Sprintf("%d lines in a file; split it by idea", n),
		}}
	}
	return nil
}
