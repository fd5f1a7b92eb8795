package detect

import (
	"regexp/syntax"
	"strings"

	"mcpproxy/internal/text"
)

// A value can be split over adjacent members, items or content parts. If the end of a part looks like the beginning
// of a value with its own shape, the following parts are read as its continuation.

const (
	maxChain = 8   // parts over which one value can be split
	maxSplit = 600 // bytes of a split value
	minHead  = 3   // bytes of a shape's beginning that must be in one part
)

// heads are the literal prefixes of shapes.
type heads map[string]bool

// newHeads collects the prefixes of the rules' patterns.
func newHeads(rules []Rule) heads {
	h := heads{}
	for _, r := range rules {
		re, err := syntax.Parse(r.Pattern, syntax.Perl)
		if err != nil {
			continue
		}
		for _, prefix := range prefixes(re.Simplify()) {
			if len(prefix) >= minHead {
				h[prefix[:minHead]] = true
			}
		}
	}
	return h
}

// prefixes returns the literals with which matches of re begin; none if they can begin in other ways.
func prefixes(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCapture:
		return prefixes(re.Sub[0])
	case syntax.OpConcat:
		for i, sub := range re.Sub {
			switch sub.Op {
			case syntax.OpWordBoundary, syntax.OpBeginLine, syntax.OpBeginText, syntax.OpEmptyMatch:
				continue
			}
			first := prefixes(sub)
			if i+1 < len(re.Sub) && len(first) > 0 && len(first[0]) < minHead { // AK(IA|…)
				more := prefixes(&syntax.Regexp{Op: syntax.OpConcat, Sub: re.Sub[i+1:]})
				var out []string
				for _, a := range first {
					for _, b := range more {
						out = append(out, a+b)
					}
				}
				if len(out) > 0 {
					return out
				}
			}
			return first
		}
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			out = append(out, prefixes(sub)...)
		}
		return out
	}
	return nil
}

// begin returns the position of the last prefix of a shape in s after which no space follows; -1 if there is none.
func (h heads) begin(s string) int {
	start := strings.LastIndexAny(s, " \t\n\"'<>()[]{},;") + 1
	for i := start; i+minHead <= len(s); i++ {
		if h[s[i:i+minHead]] {
			return i
		}
	}
	return -1
}

// chains returns views of doc that join parts which may be pieces of one value.
func (h heads) chains(doc *text.Document) []*text.View {
	var out []*text.View
	for _, group := range doc.Neighbours() {
		out = append(out, fragments(doc, group)...)
		for n := 0; n+1 < len(group); n++ {
			first := doc.Parts[group[n]].Text
			tail := max(len(first)-maxSplit, 0)
			at := h.begin(first[tail:])
			if at < 0 || isVariableName(first) {
				continue
			}
			pieces, length := []text.Span{{Part: group[n], Start: tail + at, End: len(first)}}, len(first)-tail-at
			for _, next := range group[n+1 : min(n+maxChain, len(group))] {
				s := doc.Parts[next].Text
				end := strings.IndexAny(s, " \t\n\"'<>()[]{},;")
				whole := end < 0
				if whole {
					end = len(s)
				}
				if length += end; end == 0 || length > maxSplit {
					break
				}
				pieces = append(pieces[:len(pieces):len(pieces)], text.Span{Part: next, Start: 0, End: end})
				out = append(out, doc.Seam(pieces))
				if !whole {
					break
				}
			}
		}
	}
	return out
}

// isVariableName reports whether s is the name of an environment variable, such as API_KEY_ID, and so no piece of a
// value.
func isVariableName(s string) bool {
	if !strings.Contains(s, "_") || strings.HasSuffix(s, "_") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isUpper(s[i]) && !isDigit(s[i]) && s[i] != '_' {
			return false
		}
	}
	return true
}

const (
	maxFragment  = 4 // bytes of a part that carries no information alone
	minFragments = 8 // number of such parts in a row
)

// fragments returns views that join runs of parts of only a few bytes each, such as an array of characters. Long runs
// are read in windows that overlap by half.
func fragments(doc *text.Document, group []int) []*text.View {
	var out []*text.View
	for start := 0; start < len(group); {
		end := start
		length := 0
		half := 0
		var pieces []text.Span
		for ; end < len(group) && length <= maxSplit; end++ {
			n := len(doc.Parts[group[end]].Text)
			if n > maxFragment {
				break
			}
			if length += n; length <= maxSplit/2 {
				half = end
			}
			pieces = append(pieces, text.Span{Part: group[end], Start: 0, End: n})
		}
		if len(pieces) >= minFragments {
			out = append(out, doc.Seam(pieces))
		}
		if start = end + 1; end < len(group) && length > maxSplit {
			start = half + 1
		}
	}
	return out
}
