package shell

import (
	"path"
	"strings"
)

// open returns the content of a file that is read. The name "-" means in, the standard input.
func (m *machine) open(name value, in value) value {
	file := name.text
	switch {
	case file == "-" || file == "/dev/stdin" || file == "/dev/fd/0" || file == "/proc/self/fd/0":
		return in.with(name.data)
	case file == "" && len(name.data) == 0:
		return value{}
	case harmless(file):
		return value{}
	}
	file = path.Clean(strings.TrimPrefix(file, "file://"))
	if v, ok := m.files[file]; ok {
		return v
	}
	if e, ok := device(file); ok {
		return m.fetch(e)
	}
	if file == "." && name.text == "" {
		file = "*" // the name of the file is not known
	}
	if strings.HasPrefix(file, "/proc/") && strings.HasSuffix(file, "/environ") {
		return m.reads(environment)
	}
	v := m.reads(Source{Kind: File, Name: file}).with(name.data)
	if text, ok := m.earlier(file); ok {
		v.text, v.known = text, true
	}
	return v
}

// reads records that a source is read.
func (m *machine) reads(s Source) value {
	if s.Kind == File {
		m.opens(s.Name)
	}
	if !m.noted[s] && len(m.c.Reads) < maxReads {
		m.noted[s] = true
		m.c.Reads = append(m.c.Reads, s)
	}
	return from(s)
}

// opens records that the command may read a file or the content of a folder.
func (m *machine) opens(file string) {
	if m.dir != "" && !rooted(file) {
		file = path.Join(m.dir, file)
	}
	if len(m.c.Opens) < maxReads && !m.opened[file] {
		m.opened[file] = true
		m.c.Opens = append(m.c.Opens, file)
	}
}

// write records that the command writes v to a file. The name may also stand for a connection (/dev/tcp), a pipe or a
// file on a mounted host.
func (m *machine) write(file string, v value, more bool) {
	if harmless(file) || file == "" || file == "-" {
		return
	}
	file = path.Clean(file)
	if e, ok := device(file); ok {
		m.send(Send{By: "/dev/tcp", To: e, Data: v.data})
		return
	}
	if stmts, ok := m.pipes[file]; ok {
		delete(m.pipes, file)
		m.stmts(stmts, v)
		return
	}
	if e, ok := m.mounted(file); ok {
		m.send(Send{By: "mount", To: e, Data: v.data})
	}
	m.change(file)
	m.notes(file, v, more)
	old, ok := m.files[file]
	if text, found := m.earlier(file); found && !ok {
		old, ok = value{text, true, []Source{{Kind: File, Name: file}}}, true
	}
	switch {
	case more && !ok:
		old = from(Source{Kind: File, Name: file})
		v = old.then(v)
	case more || ok && m.branches > 0:
		v = old.then(v)
	}
	m.files[file] = v
}

// harmless reports whether a file is a device that stores no data.
func harmless(file string) bool {
	switch file {
	case "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/tty", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}

// device returns the host in a path of the form /dev/tcp/HOST/PORT, to which Bash connects.
func device(file string) (Endpoint, bool) {
	rest, ok := strings.CutPrefix(file, "/dev/tcp/")
	if !ok {
		rest, ok = strings.CutPrefix(file, "/dev/udp/")
	}
	if !ok {
		return Endpoint{}, false
	}
	host, _, _ := strings.Cut(rest, "/")
	return Endpoint{Kind: "host", Value: host}, host != ""
}
