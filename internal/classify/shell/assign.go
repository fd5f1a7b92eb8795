package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign executes an assignment to a variable.
func (m *machine) assign(a *syntax.Assign) {
	if a.Name == nil || a.Naked {
		if a.Value != nil {
			m.word(a.Value)
		}
		return
	}
	var values []value
	switch {
	case a.Array != nil:
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				values = append(values, m.fields([]*syntax.Word{e.Value})...)
			}
		}
	case a.Value != nil:
		values = []value{m.word(a.Value)}
	default:
		values = []value{literal("")}
	}
	m.set(a.Name.Value, values, a.Append && a.Array == nil, a.Append || a.Index != nil)
}

// set assigns values to a variable. If join is set, it appends the first value to the variable's text. If extend is
// set, it appends the values to the variable's elements.
func (m *machine) set(name string, values []value, join, extend bool) {
	old := m.vars[name]
	switch {
	case join && len(old) > 0 && len(values) > 0:
		joined := old[len(old)-1].then(values[0])
		values = append(old[:len(old)-1:len(old)-1], m.afford(joined))
	case extend:
		values = append(old, values...)
	case m.branches > 0 && len(values) == 1: // the variable may also keep its old value
		for _, v := range old {
			values[0] = values[0].with(v.data)
		}
	}
	m.vars[name] = values
}

// afford truncates the text of v once the limits of this package are reached.
func (m *machine) afford(v value) value {
	m.spent += len(v.text) + 8
	if len(v.text) > maxText && m.spent > maxBytes || m.spent > maxSpent {
		v.text, v.known = "", false
		if m.spent > maxSpent {
			m.giveUp()
		}
	}
	return v
}

// quietVariables lists variables that never hold a secret.
var quietVariables = words(
	"HOME PWD OLDPWD PATH IFS SHELL TERM TMPDIR LANG LC_ALL USER LOGNAME HOSTNAME UID EUID PPID " +
		"RANDOM SECONDS LINENO EDITOR PAGER BASH_SOURCE BASHPID BASH SHLVL OSTYPE COLUMNS LINES REPLY OPTARG OPTIND _",
)

// secretWords lists words in names of variables that hold secrets.
var secretWords = words(
	"token secret password passwd passphrase pass pw pwd key apikey credential credentials auth private cookie session dsn conn connection",
)

// variable returns the source for an environment variable.
func variable(name string) Source {
	secret := false
	for _, w := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' }) {
		secret = secret || secretWords()[w]
	}
	return Source{Kind: Variable, Name: name, Secret: secret}
}

// environment is the source that stands for all environment variables.
var environment = Source{Kind: Variable, Name: "*", Secret: true}
