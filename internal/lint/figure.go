package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// figures are turns of speech that readers have to decode. The brackets keep this list from reporting itself.
var figures = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b(?:there )?(?:is|are) (?:none)\b`,
	`\bis (?:who)\b`,
	`\bhas (?:somebody)\b`,
	`\bhas (?:people) asked\b`,
	`\bwhat of [a-z] (?:the)\b`,
	`\bsays no (?:more) than\b`,
	`\bthat is no [a-z]+ (?:of)\b`,
	`\bnothing that (?:was) seen\b`,
	`\bwants? of its (?:own)\b`,
	`\bof (?:whose)\b`,
	`\bnowhere in (?:particular)\b`,
	`\bis too (?:much):`,
}, "|"))

// figure is a language rule.
//
//	Reports: the turns of speech in figures.
//	Why:     a reader who knows the field and not this project must understand a sentence at first reading. Name the
//	         thing and say what it is: not "%q, which no scope knows" but "unknown scope %q".
//	Exempt:  "there is none", which says that something does not exist; strings in tests, which hold the words of
//	         attackers and of users.
func figure(f *file) []finding {
	if f.ast == nil {
		return figuresIn(f.lines(), 1)
	}
	var findings []finding
	for _, group := range f.ast.Comments {
		findings = append(findings, figuresIn(textOf(f, group), f.line(group.Pos()))...)
	}
	if !f.isTest() {
		f.inspect(func(n ast.Node) {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				findings = append(findings, figuresIn(strings.Split(lit.Value, "\n"), f.line(lit.Pos()))...)
			}
		})
	}
	slices.SortStableFunc(findings, func(a, b finding) int {
		return a.line - b.line
	})
	return findings
}

// textOf returns the lines of a comment group without their markers.
func textOf(f *file, group *ast.CommentGroup) []string {
	text := string(f.src[f.offset(group.Pos()):f.offset(group.End())])
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimSpace(line), "//")
	}
	return lines
}

// figuresIn returns the figures in lines, of which the first has the number first. A figure may go over the end of a
// line.
func figuresIn(lines []string, first int) []finding {
	var starts []int
	var text strings.Builder
	for _, line := range lines {
		starts = append(starts, text.Len())
		text.WriteString(strings.TrimSpace(line) + " ")
	}
	var findings []finding
	for _, at := range figures.FindAllStringIndex(text.String(), -1) {
		if strings.HasPrefix(strings.ToLower(text.String()[at[0]:at[1]]), "there ") {
			continue
		}
		line, exact := slices.BinarySearch(starts, at[0])
		if !exact {
			line--
		}
		findings = append(findings, finding{
			line:    first + line,
			message: fmt.Sprintf("%q: name the thing and say what it is", text.String()[at[0]:at[1]]),
		})
	}
	return findings
}
