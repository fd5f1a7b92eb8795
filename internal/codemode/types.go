package codemode

import (
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/text"
	"mcpproxy/internal/wire"
)

// The TypeScript form of a tool, in three levels of detail. Texts of servers are placed in comments
// and quoted strings and cannot end them.

func nameOnly(t *mcpproxy.Tool) string { return member(t.Name) + "\n" }

func signature(t *mcpproxy.Tool) string {
	out := ""
	if d := comment(t.Description, 160); d != "" {
		out = "/** " + d + " */\n"
	}
	return out + head(t, 0)
}

func declaration(t *mcpproxy.Tool) string {
	out := ""
	if d := comment(t.Description, 4000); d != "" {
		out = "/** " + d + " */\n"
	}
	return out + head(t, 1)
}

// head returns the tool's name with its types.
func head(t *mcpproxy.Tool, detail int) string {
	in, out := schemaOf(t.InputSchema), schemaOf(wire.Member(t.Raw, "outputSchema"))
	result, args := typescript(out, detail), "{}"
	if in != nil {
		args = typescript(in, detail)
	}
	mark := ""
	if in == nil || len(in.Required) == 0 {
		mark = "?"
	}
	return member(t.Name) + "(args" + mark + ": " + args + "): Promise<" + result + ">;\n"
}

// member returns a name as a member in a type.
func member(name string) string {
	for i, r := range name {
		if r > 127 || !unicode.IsLetter(r) && r != '_' && r != '$' && (i == 0 || !unicode.IsDigit(r)) {
			return quoted(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// quoted returns a string literal with non-printing characters escaped.
func quoted(s string) string { return string(text.Quote(visible(s))) }

// comment returns a server's text on one line, without sequences that end the comment.
func comment(s string, limit int) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(visible(s), "*/", "* /")), " ")
	if short := cut(s, limit); short != s {
		return short + "…"
	}
	return s
}

// visible removes characters that reorder or hide text.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}
