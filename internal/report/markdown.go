package report

import (
	"strings"
	"unicode"
)

// MarkdownTable returns a table in Markdown. Cells are plain text: their content never becomes a link, HTML or another
// cell.
func MarkdownTable(header []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + MarkdownText(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(header)
	b.WriteString(strings.Repeat("|---", len(header)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// MarkdownText returns text on one line, escaped so that Markdown displays it unchanged.
func MarkdownText(s string) string {
	var b strings.Builder
	space := false
	for _, r := range strings.TrimSpace(valid(s)) {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_[]|~!#@:", r):
			if r == ':' || r == '#' || r == '!' || r == '@' {
				b.WriteString(entity(&b, r))
				break
			}
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		space = false
	}
	return b.String()
}

// entity returns a character reference for a character that has a meaning only in combination with others. With a
// colon, a text can become a link; with a number sign or an at sign, it can refer to an issue or a person.
func entity(b *strings.Builder, r rune) string {
	before := b.String()
	switch {
	case r == ':' && !strings.HasSuffix(before, "http") && !strings.HasSuffix(before, "https") && !strings.HasSuffix(before, "mailto"):
		return ":"
	case r == '!':
		return `\!`
	case r == '#':
		return `\#`
	case r == '@':
		return "&#64;"
	}
	return "&#58;"
}
