package gitconfig

import "strings"

// setting is one variable of a file.
type setting struct {
	section string // in lower case
	sub     string // the part of the section heading in quotes
	name    string // in lower case
	value   string
}

// maxSettings limits the variables that are read from one file.
const maxSettings = 10_000

// parse parses a file in the syntax of git-config(1). It stops at a line that git would refuse, because git then reads
// none of the file.
func parse(raw string) []setting {
	p := parser{rest: raw}
	for p.line() && len(p.found) < maxSettings {
	}
	return p.found
}

// parser parses one file.
type parser struct {
	rest         string
	section, sub string
	found        []setting
}

// line reads a heading, a variable or an empty line. It returns false at the end of the file and at a syntax error.
func (p *parser) line() bool {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n\ufeff")
	switch {
	case p.rest == "":
		return false
	case p.rest[0] == '#' || p.rest[0] == ';':
		_, p.rest, _ = strings.Cut(p.rest, "\n")
		return true
	case p.rest[0] == '[':
		return p.heading()
	}
	return p.variable()
}

// heading reads [section] or [section "sub"].
func (p *parser) heading() bool {
	end := strings.IndexAny(p.rest, " \t]\n")
	if end < 0 || p.rest[end] == '\n' {
		return false
	}
	p.section, p.sub = strings.ToLower(p.rest[1:end]), ""
	rest := strings.TrimLeft(p.rest[end:], " \t")
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		var sub strings.Builder
		i := 0
		for ; i < len(quoted) && quoted[i] != '"'; i++ {
			if quoted[i] == '\\' && i+1 < len(quoted) {
				i++
			}
			if quoted[i] == '\n' {
				return false
			}
			sub.WriteByte(quoted[i])
		}
		if i >= len(quoted) {
			return false
		}
		p.sub = sub.String()
		rest = strings.TrimLeft(quoted[i+1:], " \t")
	} else if before, after, dotted := strings.Cut(p.section, "."); dotted { // the old form of a subsection
		p.section, p.sub = before, after
	}
	var ok bool
	p.rest, ok = strings.CutPrefix(rest, "]")
	return ok
}

// variable reads name = value, or only a name.
func (p *parser) variable() bool {
	end := 0
	for end < len(p.rest) && nameByte(p.rest[end]) {
		end++
	}
	if end == 0 || p.section == "" {
		return false
	}
	s := setting{
		section: p.section,
		sub:     p.sub,
		name:    strings.ToLower(p.rest[:end]),
	}
	p.rest = strings.TrimLeft(p.rest[end:], " \t")
	after, ok := strings.CutPrefix(p.rest, "=")
	if ok {
		p.rest = strings.TrimLeft(after, " \t")
		if s.value, ok = p.value(); !ok {
			return false
		}
	}
	p.found = append(p.found, s)
	return true
}

func nameByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-'
}

// value reads a value to the end of its line, with quotes, escapes, comments and lines that
// go on.
func (p *parser) value() (string, bool) {
	var out strings.Builder
	quoted := false
	kept := 0 // bytes of out that do not belong to white space at the end
	for i := 0; i < len(p.rest); i++ {
		c := p.rest[i]
		switch {
		case c == '\n':
			p.rest = p.rest[i:]
			return out.String()[:kept], !quoted
		case c == '"':
			quoted = !quoted
			kept = out.Len()
			continue
		case !quoted && (c == '#' || c == ';'):
			end := strings.IndexByte(p.rest[i:], '\n')
			if end < 0 {
				end = len(p.rest) - i
			}
			p.rest = p.rest[i+end:]
			return out.String()[:kept], true
		case c == '\\':
			if i++; i == len(p.rest) {
				return "", false
			}
			if p.rest[i] == '\r' && i+1 < len(p.rest) && p.rest[i+1] == '\n' {
				i++
			}
			if p.rest[i] == '\n' {
				continue
			}
			escaped := strings.IndexByte(`nt"\b`, p.rest[i])
			if escaped < 0 {
				return "", false
			}
			c = "\n\t\"\\\b"[escaped]
		}
		out.WriteByte(c)
		if quoted || c != ' ' && c != '\t' && c != '\r' {
			kept = out.Len()
		}
	}
	p.rest = ""
	return out.String()[:kept], !quoted
}
