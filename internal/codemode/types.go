package codemode

import (
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/text"
	"mcpproxy/internal/wire"
)

// A tool as TypeScript, in three degrees of detail. What a server says stands in
// comments and in quotes; it cannot end either.

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

// head is the tool's name with its types.
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

// member is a name as it stands in a type.
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

// quoted is a string constant that shows what does not print.
func quoted(s string) string { return string(text.Quote(visible(s))) }

// comment is what a server says, on one line and unable to end the comment.
func comment(s string, limit int) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(visible(s), "*/", "* /")), " ")
	if short := cut(s, limit); short != s {
		return short + "…"
	}
	return s
}

// visible leaves out what reorders or hides text.
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
