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

// messageFigures are turns of speech that are reported in strings only, and pages only: users read these.
var messageFigures = regexp.MustCompile(`(?i)` + strings.Join([]string{
	figures.String(),
	`\b(?:there )?(?:is|are) (?:no) [a-z%"]+`,
	`\b(?:is|are) (?:wanted)\b`,
	`\bis too (?:much)\b`,
}, "|"))

// comparison matches "is no longer" and the like, which are plain English.
var comparison = regexp.MustCompile(`(?i) (?:longer|more|less|fewer|better|other|later)$`)

// figure is a language rule.
//
//	Reports: the turns of speech in figures, and in strings and pages those of messageFigures as well.
//	Why:     a reader who knows the field and not this project must understand a sentence at first reading. Name the
//	         thing and say what it is: not "%q, which no scope knows" but "unknown scope %q". A message says what to
//	         do as well: "%q is not a duration; write 30s or 5m".
//	Exempt:  sentences with "there is", which say that something does not exist; "is no longer" and other
//	         comparisons; strings in tests, which hold the words of attackers and of users.
func figure(f *file) []finding {
	if f.ast == nil {
		return figuresIn(messageFigures, f.lines(), 1)
	}
	var findings []finding
	for _, group := range f.ast.Comments {
		findings = append(findings, figuresIn(figures, textOf(f, group), f.line(group.Pos()))...)
	}
	if !f.isTest() {
		f.inspect(func(n ast.Node) {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				lines := strings.Split(lit.Value, "\n")
				findings = append(findings, figuresIn(messageFigures, lines, f.line(lit.Pos()))...)
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

// figuresIn returns the matches of reported in lines. first is the number of the first line. A match may continue on
// the next line.
func figuresIn(reported *regexp.Regexp, lines []string, first int) []finding {
	var starts []int
	var text strings.Builder
	for _, line := range lines {
		starts = append(starts, text.Len())
		text.WriteString(strings.TrimSpace(line) + " ")
	}
	var findings []finding
	for _, at := range reported.FindAllStringIndex(text.String(), -1) {
		match := text.String()[at[0]:at[1]]
		if strings.HasPrefix(strings.ToLower(match), "there ") || comparison.MatchString(match) {
			continue
		}
		line, exact := slices.BinarySearch(starts, at[0])
		if !exact {
			line--
		}
		findings = append(findings, finding{
			line:    first + line,
			message: fmt.Sprintf("%q: name the thing and say what it is", match),
		})
	}
	return findings
}
