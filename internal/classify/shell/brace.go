package shell

import "mvdan.cc/sh/v3/syntax"

// maxBraces is the maximum number of words to which one word with braces expands. maxPairs is the maximum number of
// brace pairs in one word.
const (
	maxBraces = 64
	maxPairs  = 8
)

// pairs counts the brace expressions in a word.
func pairs(parts []syntax.WordPart) int {
	n := 0
	for _, p := range parts {
		if e, ok := p.(*syntax.BraceExp); ok {
			n++
			for _, elem := range e.Elems {
				n += pairs(elem.Parts)
			}
		}
	}
	return n
}

// braces expands the brace expressions in a word.
func braces(parts, before []syntax.WordPart) [][]syntax.WordPart {
	for i, p := range parts {
		e, ok := p.(*syntax.BraceExp)
		if !ok || e.Sequence {
			continue
		}
		before = append(before[:len(before):len(before)], parts[:i]...)
		var out [][]syntax.WordPart
		for _, elem := range e.Elems {
			inner := append(elem.Parts[:len(elem.Parts):len(elem.Parts)], parts[i+1:]...)
			out = append(out, braces(inner, before)...)
			if len(out) >= maxBraces {
				return out[:maxBraces]
			}
		}
		return out
	}
	return [][]syntax.WordPart{append(before[:len(before):len(before)], parts...)}
}
