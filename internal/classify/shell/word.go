package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknownText stands in a text for the unknown output of a substitution.
const unknownText = "$(…)"

// fields expands words into the fields of a command.
func (m *machine) fields(list []*syntax.Word) []value {
	var out []value
	for _, w := range list {
		b := splitter{m: m}
		if syntax.SplitBraces(w) && pairs(w.Parts) <= maxPairs {
			for _, parts := range braces(w.Parts, nil) {
				b.parts(parts, false)
				b.end()
			}
		} else {
			b.parts(w.Parts, false)
			b.end()
		}
		if out = append(out, b.out...); m.spent > maxSpent {
			break
		}
	}
	return out
}

// word expands a word without splitting it, as in an assignment.
func (m *machine) word(w *syntax.Word) value {
	if w == nil {
		return value{}
	}
	b := splitter{m: m, whole: true}
	b.parts(w.Parts, false)
	b.begun = true
	b.end()
	return b.out[0]
}

// splitter builds fields from the parts of a word.
type splitter struct {
	m     *machine
	whole bool // words are not split
	out   []value
	text  strings.Builder
	data  []Source
	begun bool // a field has begun, even if it is still empty
	open  bool // the text of a part of the field is not known
	gaps  string
}

// gaps returns the characters at which the shell splits words, which IFS sets.
func (m *machine) gaps() string {
	if v := m.vars["IFS"]; len(v) > 0 && v[0].text != "" {
		return v[0].text
	}
	return " \t\n"
}

// end finishes the current field.
func (b *splitter) end() {
	if b.begun {
		b.out = append(b.out, b.m.afford(value{text: b.text.String(), known: !b.open, data: b.data}))
	}
	b.text.Reset()
	b.data = nil
	b.begun = false
	b.open = false
}

func (b *splitter) add(v value) {
	b.text.WriteString(v.text)
	b.data = union(b.data, v.data)
	b.begun, b.open = true, b.open || !v.known
}

// split adds an unquoted value, which the shell splits at white space.
func (b *splitter) split(v value) {
	if b.gaps == "" {
		b.gaps = b.m.gaps()
	}
	gap := func(r rune) bool { return strings.ContainsRune(b.gaps, r) }
	if b.whole || strings.IndexFunc(v.text, gap) < 0 {
		if v.carries() || b.whole {
			b.add(v)
		}
		return
	}
	if gap(rune(v.text[0])) {
		b.end()
	}
	for i, f := range strings.FieldsFunc(v.text, gap) {
		if i > 0 {
			b.end()
		}
		b.add(value{f, v.known, v.data})
	}
	if gap(rune(v.text[len(v.text)-1])) {
		b.end()
	}
}

func (b *splitter) parts(parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.add(literal(unquoteLit(p.Value, quoted)))
		case *syntax.SglQuoted:
			s := p.Value
			if p.Dollar {
				s = unescape(s)
			}
			b.add(literal(s))
		case *syntax.DblQuoted:
			b.begun = true
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			b.param(p, quoted)
		case *syntax.CmdSubst:
			v := b.m.substitute(p.Stmts)
			if v.text = strings.TrimRight(v.text, "\n"); !v.known && v.text == "" {
				v.text = unknownText
			}
			if quoted {
				b.add(v)
			} else {
				b.split(v)
			}
		case *syntax.ProcSubst:
			b.add(b.m.processFile(p))
		case *syntax.ArithmExp:
			b.add(value{text: "0"})
		case *syntax.ExtGlob:
			b.add(literal(p.Op.String() + p.Pattern.Value + ")"))
		case *syntax.BraceExp:
			b.parts(p.Elems[0].Parts, quoted) // the first element stands for the whole sequence
		}
	}
}

// param adds a parameter. "$@" becomes one field for each argument.
func (b *splitter) param(p *syntax.ParamExp, quoted bool) {
	for i, v := range b.m.param(p) {
		if i > 0 {
			if b.whole {
				b.add(literal(" "))
			} else {
				b.end()
			}
		}
		if quoted {
			b.add(v)
		} else {
			b.split(v)
		}
	}
}

// substitute runs $(…) and returns its output.
func (m *machine) substitute(list []*syntax.Stmt) value {
	if m.calls++; m.calls > maxCalls {
		m.calls--
		m.giveUp()
		return value{}
	}
	defer func() { m.calls-- }()
	return m.stmts(list, value{})
}

// processFile returns the file name for <(…) or >(…).
func (m *machine) processFile(p *syntax.ProcSubst) value {
	m.temp++
	name := "/dev/fd/" + strconv.Itoa(62+m.temp)
	if p.Op == syntax.CmdOut {
		m.pipes[name] = p.Stmts
	} else {
		m.files[name] = m.substitute(p.Stmts)
	}
	return literal(name)
}
