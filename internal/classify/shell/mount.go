package shell

import (
	"path"
	"strings"
)

// maxMounted bounds how many paths are looked up in the mounted folders.
const maxMounted = 512

// mount attaches a folder of another machine to the local file tree. Data that a command writes there goes to that
// machine.
func mount(m *machine, args []value, _ value) value {
	row, rest := lookup(append([]value{literal("mount")}, args...))
	var plain []value
	for i := 0; i < len(rest); i++ {
		if !strings.HasPrefix(rest[i].text, "-") {
			plain = append(plain, rest[i])
		} else if _, takes := row.flags[rest[i].text]; takes {
			i++
		}
	}
	if len(plain) < 2 {
		return from(Source{Kind: Output, Name: "mount"})
	}
	what := plain[0].text
	e, ok := remotePath(what)
	if share, found := strings.CutPrefix(what, "//"); found {
		e, ok = endpoint(share)
	} else if !strings.ContainsAny(what, "/:=") {
		e, ok = Endpoint{Kind: "bucket", Value: what}, true // as s3fs takes it
	}
	if !ok || strings.HasPrefix(what, "/dev/") {
		return value{}
	}
	m.fetch(e)
	m.mounts[m.absolute(plain[1].text)] = e
	return value{}
}

// absolute returns a path as an absolute path if the current folder is known.
func (m *machine) absolute(file string) string {
	if m.dir != "" && !rooted(file) {
		return path.Join(m.dir, file)
	}
	return path.Clean(file)
}

// mounted returns the machine on which a file in a mounted folder is stored.
func (m *machine) mounted(file string) (Endpoint, bool) {
	if len(m.mounts) == 0 {
		return Endpoint{}, false
	}
	for dir := m.absolute(file); len(dir) <= maxMounted; dir = path.Dir(dir) {
		if e, ok := m.mounts[dir]; ok {
			return e, true
		}
		if dir == path.Dir(dir) {
			break
		}
	}
	return Endpoint{}, false
}

// ztcp implements the command with which zsh opens a connection. It sets REPLY to the number of the connection.
func ztcp(m *machine, args []value, _ value) value {
	var plain []value
	for i, a := range args {
		switch {
		case a.text == "-l" || i > 0 && args[i-1].text == "-d":
		case a.text == "-a":
			return value{} // accepts a connection for the listener
		case strings.HasPrefix(a.text, "-"):
		default:
			plain = append(plain, a)
		}
	}
	e := anybody // -l PORT
	if len(plain) > 1 || len(plain) == 1 && !digits(plain[0].text) {
		host, ok := endpoint(plain[0].text)
		if !ok {
			return value{}
		}
		e = host
	}
	m.connected["ztcp"] = e
	m.vars["REPLY"] = []value{literal("ztcp")}
	return value{}
}
