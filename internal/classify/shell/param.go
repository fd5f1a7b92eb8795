package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param returns the values of a parameter expansion: one, or several for "$@" and for whole arrays.
func (m *machine) param(p *syntax.ParamExp) []value {
	if p.Param == nil || p.Names != 0 {
		return []value{{}}
	}
	name := p.Param.Value
	values := m.lookup(name)
	if p.Excl && len(values) > 0 {
		values = m.lookup(values[0].text)
	}
	if name != "@" && name != "*" {
		values = element(values, p.Index)
	}
	switch {
	case p.Length || p.Width || p.IsSet:
		return []value{{text: "0"}}
	case p.Exp != nil:
		return m.expansion(name, values, p.Exp)
	case p.Repl != nil:
		from, to := m.word(p.Repl.Orig), m.word(p.Repl.With)
		return edited(values, func(s string) (string, bool) {
			n := 1
			if p.Repl.All {
				n = -1
			}
			if from.text == "" || strings.ContainsAny(from.text, "*?[\\") {
				return s, false
			}
			return strings.Replace(s, from.text, to.text, n), from.known && to.known
		})
	case p.Slice != nil:
		return edited(values, func(s string) (string, bool) { return slice(s, p.Slice) })
	}
	return values
}

// edited applies change to the texts of values.
func edited(values []value, change func(string) (string, bool)) []value {
	out := slices.Clone(values)
	for i, v := range out {
		if !v.known {
			continue
		}
		out[i].text, out[i].known = change(v.text)
	}
	return out
}

// element returns the element of values at an index.
func element(values []value, index syntax.ArithmExpr) []value {
	at := 0
	if w, ok := index.(*syntax.Word); ok {
		lit := w.Lit()
		if lit == "@" || lit == "*" {
			return values
		}
		if n, err := strconv.Atoi(lit); err == nil && n >= 0 && n < len(values) {
			at = n
		} else if index != nil { // an element whose index is not known
			var one value
			for _, v := range values {
				one = one.with(v.data)
			}
			if len(values) == 1 {
				one.text = values[0].text
			}
			return []value{one}
		}
	}
	if len(values) == 0 {
		return values
	}
	return values[at : at+1]
}

// lookup returns the values of a variable.
func (m *machine) lookup(name string) []value {
	switch name {
	case "@", "*":
		return m.args
	case "#", "?", "$", "!", "-", "0", "_":
		return []value{{text: "0"}}
	case "IFS":
		return []value{literal(m.gaps()[:1])}
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n > 0 && n <= len(m.args) {
			return m.args[n-1 : n]
		}
		return []value{literal("")}
	}
	if v, ok := m.vars[name]; ok {
		return v
	}
	v := value{text: "$" + name}
	if !quietVariables()[name] {
		s := variable(name)
		s.Secret = s.Secret || m.sourced && mayBeSecret(s.Name)
		m.reads(s)
		v.data = []Source{s}
	}
	return []value{v}
}

// expansion evaluates ${name:-word} and similar expansions.
func (m *machine) expansion(name string, values []value, e *syntax.Expansion) []value {
	word := m.word(e.Word)
	_, set := m.vars[name]
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		empty := len(values) == 0 || values[0].text == "" && values[0].known && len(values[0].data) == 0
		if set && !empty {
			return values
		}
		for _, v := range values {
			word = word.with(v.data)
		}
		if e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull {
			m.set(name, []value{word}, false, false)
		}
		return []value{word}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return []value{word}
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return edited(values, func(s string) (string, bool) { return trimmed(s, word.text, e.Op) })
	case syntax.LowerAll:
		return edited(values, func(s string) (string, bool) { return strings.ToLower(s), true })
	case syntax.UpperAll:
		return edited(values, func(s string) (string, bool) { return strings.ToUpper(s), true })
	}
	return values
}

// trimmed removes a pattern from a text. The pattern is a literal, or "*" followed by a literal.
func trimmed(s, pattern string, op syntax.ParExpOperator) (string, bool) {
	prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
	lit := strings.Trim(pattern, "*")
	if lit == "" || strings.ContainsAny(lit, "*?[") {
		return s, false
	}
	i := strings.Index(s, lit)
	if op == syntax.RemLargePrefix || op == syntax.RemSmallSuffix {
		i = strings.LastIndex(s, lit)
	}
	switch {
	case lit == pattern && prefix:
		return strings.TrimPrefix(s, lit), true
	case lit == pattern:
		return strings.TrimSuffix(s, lit), true
	case i < 0:
		return s, true
	case prefix:
		return s[i+len(lit):], true
	}
	return s[:i], true
}

// slice evaluates ${name:offset:length} with constant numbers.
func slice(s string, sl *syntax.Slice) (string, bool) {
	number := func(e syntax.ArithmExpr, otherwise int) (int, bool) {
		if e == nil {
			return otherwise, true
		}
		w, ok := e.(*syntax.Word)
		if !ok {
			return 0, false
		}
		n, err := strconv.Atoi(w.Lit())
		return n, err == nil && n >= 0
	}
	from, ok := number(sl.Offset, 0)
	length, ok2 := number(sl.Length, len(s))
	if !ok || !ok2 {
		return s, false
	}
	from = min(from, len(s))
	return s[from : from+min(length, len(s)-from)], true
}
