package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// output is the target of a redirection.
type output struct {
	file, descriptor string
	more, errors     bool // more appends to the target; errors sends only the errors there
}

// isExec reports whether a command is "exec" without arguments, whose redirections persist.
func isExec(c syntax.Command) bool {
	call, ok := c.(*syntax.CallExpr)
	return ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec"
}

// redirects returns the input of a statement and the targets of its output.
func (m *machine) redirects(list []*syntax.Redirect, in value, forever bool) (value, []output) {
	var outs []output
	for _, r := range list {
		number := ""
		if r.N != nil {
			number = r.N.Value
		}
		var to value
		if r.Word != nil {
			to = m.word(r.Word)
		}
		e, connects := device(to.text)
		if connects && forever && (number == "" || number == "1") {
			m.connected["1"] = e
			continue
		}
		if connects && number != "" && number != "1" && number != "2" && number != "0" {
			m.connected[number] = e
			continue
		}
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut:
			if connects && r.Op == syntax.RdrInOut {
				m.connected["0"] = e
			}
			in = m.open(to, in)
		case syntax.Hdoc, syntax.DashHdoc:
			in = m.word(r.Hdoc)
		case syntax.WordHdoc:
			in = to
		case syntax.DplIn:
			if e, ok := m.connected[to.text]; ok {
				in = m.fetch(e)
			}
		case syntax.DplOut:
			if _, ok := m.connected[to.text]; ok {
				outs = append(outs, output{descriptor: to.text})
			} else if strings.Trim(to.text, "0123456789-") != "" {
				outs = append(outs, output{file: to.text})
			}
		case syntax.AppOut, syntax.AppAll:
			outs = append(outs, output{file: to.text, more: true, errors: number == "2" && !connects})
		default:
			outs = append(outs, output{file: to.text, errors: number == "2" && !connects})
		}
	}
	return in, outs
}
