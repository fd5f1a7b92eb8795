package shell

import (
	"path"
	"strings"
)

func source(m *machine, args []value, in value) value {
	if len(args) == 0 {
		return value{}
	}
	v := m.open(args[0], in)
	if v.known {
		dir := ""
		out := m.loads(v.text, func() value {
			out := m.script(v.text, in)
			dir = m.dir
			return out
		})
		m.dir = dir
		return out
	}
	m.foreign(v.data)
	m.sourced, m.c.Opaque = true, m.c.Opaque || len(local(v.data)) < len(v.data)
	return value{}
}

func alias(m *machine, args []value, _ value) value {
	for _, a := range args {
		name, command, ok := strings.Cut(a.text, "=")
		if !ok {
			continue
		}
		m.aliases[name] = nil
		for _, f := range strings.Fields(command) {
			m.aliases[name] = append(m.aliases[name], literal(f))
		}
	}
	return value{}
}

// shell runs a script: the text after -c, a file, or the standard input.
func shell(m *machine, args []value, in value) value {
	m.startup(args)
	for i, a := range args {
		t := a.text
		switch {
		case strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.HasSuffix(t, "c") && i+1 < len(args):
			outer := m.args
			m.args = args[min(i+3, len(args)):]
			defer func() { m.args = outer }()
			return m.runText(args[i+1], in)
		case t == "-o" || t == "-O" || strings.HasPrefix(t, "-") || strings.HasPrefix(t, "+"):
		case i > 0 && (args[i-1].text == "-o" || args[i-1].text == "-O"):
		default:
			if v, ok := m.file(t); ok && !v.known {
				return m.runText(v, in)
			} else if ok {
				return m.loads(v.text, func() value {
					m.args = args[i+1:]
					return m.runText(v, in)
				})
			}
			return from(Source{Kind: Output, Name: path.Base(path.Clean(t))})
		}
	}
	if in.known {
		return m.runText(in, value{})
	}
	m.foreign(in.data)
	m.c.Opaque = m.c.Opaque || in.carries()
	return from(openShell).with(in.data) // whoever wrote the input decides what the shell runs
}

// startup reads the files that a shell runs when it starts.
func (m *machine) startup(args []value) {
	var files []string
	for _, a := range args {
		short := strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--")
		if a.text == "--login" || short && strings.Contains(a.text, "l") {
			files = append(files, "~/.bash_profile", "~/.profile", "~/.zprofile", "~/.bashrc")
		}
		if short && strings.Contains(a.text, "i") {
			files = append(files, "~/.bashrc", "~/.zshrc")
		}
	}
	if file := flagged(args, "--rcfile", "--init-file"); file != "" {
		files = append(files, file)
	}
	for _, name := range []string{"BASH_ENV", "ENV"} {
		if v := m.vars[name]; len(v) > 0 {
			files = append(files, v[0].text)
		}
	}
	for _, file := range files {
		if v, ok := m.file(file); ok && v.known {
			m.loads(v.text, func() value { return m.script(v.text, value{}) })
		}
	}
}

// later runs a command that is scheduled for later. The lines of a crontab begin with five fields for the time.
func later(m *machine, args []value, in value) value {
	for _, a := range args {
		if v, ok := m.file(a.text); ok {
			in = in.then(v)
		}
	}
	for line := range strings.Lines(in.text) {
		fields := strings.Fields(line)
		if len(fields) > 5 && strings.Trim(strings.Join(fields[:5], ""), "0123456789*/,-") == "" {
			line = strings.Join(fields[5:], " ")
		}
		m.script(line, value{})
	}
	return from(Source{Kind: Output, Name: "crontab"})
}

// runText runs the shell code that a value holds.
func (m *machine) runText(code value, in value) value {
	if !code.known {
		m.foreign(code.data)
		m.c.Opaque = true
		return from(Source{Kind: Output, Name: "sh"}).with(code.data)
	}
	return m.script(code.text, in)
}
