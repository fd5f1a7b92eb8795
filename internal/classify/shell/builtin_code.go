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
		return m.script(v.text, in)
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

// shell runs a script: the text after -c, a file, or what it reads.
func shell(m *machine, args []value, in value) value {
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
			file := path.Clean(t)
			if v, ok := m.files[file]; ok {
				return m.runText(v, in)
			}
			return from(Source{Kind: Output, Name: path.Base(file)})
		}
	}
	if in.known {
		return m.runText(in, value{})
	}
	m.foreign(in.data)
	m.c.Opaque = m.c.Opaque || in.carries()
	return from(openShell).with(in.data) // somebody else says what it runs
}

// later runs what is to run at another time. The lines of a crontab begin with
// five fields that say when.
func later(m *machine, args []value, in value) value {
	for line := range strings.Lines(in.text) {
		fields := strings.Fields(line)
		if len(fields) > 5 && strings.Trim(strings.Join(fields[:5], ""), "0123456789*/,-") == "" {
			line = strings.Join(fields[5:], " ")
		}
		m.script(line, value{})
	}
	return from(Source{Kind: Output, Name: "crontab"})
}

// runText runs code that a value holds.
func (m *machine) runText(code value, in value) value {
	if !code.known {
		m.foreign(code.data)
		m.c.Opaque = true
		return from(Source{Kind: Output, Name: "sh"}).with(code.data)
	}
	return m.script(code.text, in)
}
