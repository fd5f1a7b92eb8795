package main

import (
	_ "embed"
	"strings"
)

//go:embed phrases.txt
var phraseList string

// phrases returns the texts of phrases.txt, which has one text a line and comments after #.
func phrases(list string) []string {
	var all []string
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all = append(all, expand(line)...)
		}
	}
	return all
}

// expand returns one text for each combination of the choices in groups "{this|that}".
func expand(s string) []string {
	open := strings.IndexByte(s, '{')
	if open < 0 {
		return []string{s}
	}
	end := open + strings.IndexByte(s[open:], '}')
	var all []string
	for _, rest := range expand(s[end+1:]) {
		for choice := range strings.SplitSeq(s[open+1:end], "|") {
			all = append(all, s[:open]+choice+rest)
		}
	}
	return all
}
