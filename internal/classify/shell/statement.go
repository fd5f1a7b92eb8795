package shell

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// stmts runs statements one after the other. The result is their output.
func (m *machine) stmts(list []*syntax.Stmt, in value) value {
	var out value
	for _, s := range list {
		out = out.then(m.stmt(s, in))
	}
	return out
}

// stmt runs one statement with its redirections.
func (m *machine) stmt(s *syntax.Stmt, in value) value {
	if s == nil {
		return value{}
	}
	if !m.step() {
		return value{}
	}
	in, outs := m.redirects(s.Redirs, in, isExec(s.Cmd))
	out := in // $(<file)
	if s.Cmd != nil {
		out = m.command(s.Cmd, in)
	}
	for _, o := range outs {
		if o.errors {
			m.write(o.file, value{}, o.more)
			continue
		}
		m.write(o.file, out, o.more)
		if e, ok := m.connected[o.descriptor]; ok && o.descriptor != "" {
			m.send(Send{By: "/dev/tcp", To: e, Data: out.data})
		}
	}
	for _, o := range outs {
		if !o.errors {
			return value{}
		}
	}
	return out
}

// command runs a command. The result is its output.
func (m *machine) command(c syntax.Command, in value) value {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return m.call(c, in)
	case *syntax.BinaryCmd:
		return m.binary(c, in)
	case *syntax.Block:
		return m.stmts(c.Stmts, in)
	case *syntax.Subshell:
		return m.stmts(c.Stmts, in)
	case *syntax.IfClause:
		return m.choose(c, in)
	case *syntax.WhileClause:
		return m.branch(c.Cond, in).then(m.branch(c.Do, in))
	case *syntax.ForClause:
		return m.loop(c, in)
	case *syntax.CaseClause:
		m.word(c.Word)
		var out value
		for _, item := range c.Items {
			out = out.then(m.branch(item.Stmts, in))
		}
		return out
	case *syntax.FuncDecl:
		if c.Name != nil {
			m.funcs[c.Name.Value] = c.Body
		}
	case *syntax.DeclClause:
		for _, a := range c.Args {
			m.assign(a)
		}
	case *syntax.TimeClause:
		return m.stmt(c.Stmt, in)
	case *syntax.CoprocClause:
		m.stmt(c.Stmt, value{})
		m.temp++
		name := "/dev/fd/" + strconv.Itoa(62+m.temp)
		m.pipes[name] = []*syntax.Stmt{c.Stmt}
		m.vars["COPROC"] = []value{literal(name), literal(name)}
	}
	return value{}
}

func (m *machine) binary(c *syntax.BinaryCmd, in value) value {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		return m.stmt(c.Y, m.stmt(c.X, in))
	}
	out := m.stmt(c.X, in)
	return out.then(m.branch([]*syntax.Stmt{c.Y}, in))
}

// branch runs statements that the shell may skip.
func (m *machine) branch(list []*syntax.Stmt, in value) value {
	m.branches++
	defer func() { m.branches-- }()
	return m.stmts(list, in)
}

func (m *machine) choose(c *syntax.IfClause, in value) value {
	var out value
	for ; c != nil; c = c.Else {
		out = out.then(m.stmts(c.Cond, in)).then(m.branch(c.Then, in))
	}
	return out
}

// loop runs the body of a for loop. It runs the first iterations one by one, and the others as one iteration.
func (m *machine) loop(c *syntax.ForClause, in value) value {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		return m.branch(c.Do, in)
	}
	items := m.args
	if words.InPos.IsValid() {
		items = m.fields(words.Items)
	}
	if len(items) > maxTurns {
		rest := value{}
		for _, item := range items[maxTurns-1:] {
			rest = rest.with(item.data)
		}
		items = append(items[:maxTurns-1:maxTurns-1], rest)
	}
	var out value
	for _, item := range items {
		m.vars[words.Name.Value] = []value{item}
		out = out.then(m.branch(c.Do, in))
	}
	return out
}

// call runs a simple command.
func (m *machine) call(c *syntax.CallExpr, in value) value {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			m.assign(a)
		}
		return value{}
	}
	before := map[string][]value{}
	for _, a := range c.Assigns { // the assignment applies to this command only
		if a.Name != nil {
			before[a.Name.Value] = m.vars[a.Name.Value]
		}
	}
	fields := m.fields(c.Args)
	for _, a := range c.Assigns {
		m.assign(a)
	}
	out := m.run(fields, in)
	for name, old := range before {
		if m.vars[name] = old; old == nil {
			delete(m.vars, name)
		}
	}
	return out
}
