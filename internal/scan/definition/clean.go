package definition

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// The maximum lengths of texts that an agent sees, in bytes.
const (
	maxProse = 16 << 10
	maxIcon  = 256 << 10 // an address, which may contain the picture
)

// cutMark replaces the rest of a truncated text.
const cutMark = " […]"

// Clean returns a definition in the form that an agent may see. It removes hidden and control characters and terminal
// codes, truncates long texts, empties addresses that run scripts, and replaces characters of the name other than
// letters, digits and _ - . / :. A definition without problems, and one that was cleaned before, is returned byte for
// byte. A definition that cannot be parsed is replaced by one that has only a name.
func Clean(raw json.RawMessage) (cleaned json.RawMessage, changed bool) {
	doc, err := text.Parse(raw, "")
	if err != nil {
		return bare(raw), true
	}
	paths := doc.Paths(func(name string) string { return name })
	var edits []text.Edit
	for i := range doc.Parts {
		p := &doc.Parts[i]
		if p.Opened() && len(p.Text) <= maxProse || p.Kind == text.Number || fine(p) {
			continue
		}
		if with := cleanPart(p, strings.TrimPrefix(paths(*p), ".")); with != p.Text {
			edits = append(edits, text.Edit{Span: text.Span{Part: i, Start: 0, End: len(p.Text)}, With: with})
		}
	}
	if len(edits) == 0 {
		return raw, false
	}
	out := doc.Rewrite(edits)
	if _, err := text.Parse(out, ""); err != nil {
		return bare(raw), true
	}
	return out, true
}

// fine reports whether a part is short and plain, so that nothing or only the name must be changed.
func fine(p *text.Part) bool {
	return p.Plain() && len(p.Text) > maxName && len(p.Text) <= maxProse && !mayHide(p) &&
		!strings.Contains(p.Text[:16], ":")
}

// cleanPart returns a part's text in the form that an agent may see.
func cleanPart(p *text.Part, path string) string {
	s := p.Text
	if mayHide(p) {
		s = scan.Stripped(s)
	}
	switch {
	case p.Kind == text.Key:
		return s
	case path == "name":
		return validName(s)
	case activeURI(s):
		return ""
	case strings.HasPrefix(path, "icons"):
		if len(s) > maxIcon {
			return ""
		}
		return s
	}
	return shortened(s)
}

// shortened truncates s if it is too long.
func shortened(s string) string {
	if len(s) <= maxProse {
		return s
	}
	end := maxProse - len(cutMark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimRightFunc(s[:end], unicode.IsSpace) + cutMark
}

// validName replaces the characters that names must not contain.
func validName(name string) string {
	name = scan.Stripped(strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) || strings.ContainsRune("_-./:", c) {
			return c
		}
		return '_'
	}, name)) // again, because a removed character may have been part of a sequence
	if name == "" {
		return "unnamed"
	}
	if len(name) <= maxName {
		return name
	}
	end := maxName
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// bare returns a definition that has only a name.
func bare(raw json.RawMessage) json.RawMessage {
	var named struct{ Name string }
	if json.Unmarshal(raw, &named) != nil {
		named.Name = "" // ignores what was parsed before the error
	}
	name := validName(scan.Stripped(strings.ToValidUTF8(named.Name, "")))
	return json.RawMessage(
		`{"name":` + string(
			text.Quote(name),
		) + `,"description":"This definition could not be read.","inputSchema":{"type":"object"}}`,
	)
}
