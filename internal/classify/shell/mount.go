package shell

import (
	"path"
	"strings"
)

// maxMounted bounds the paths that are looked up in the folders of other machines.
const maxMounted = 512

// mount puts a folder of another machine into the tree of this one: what is written there
// goes to that machine.
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
		e, ok = Endpoint{Kind: "bucket", Value: what}, true // of s3fs
	}
	if !ok || strings.HasPrefix(what, "/dev/") {
		return value{}
	}
	m.fetch(e)
	m.mounts[m.absolute(plain[1].text)] = e
	return value{}
}

// absolute is a path from the folder that the line has gone to, as far as it is known.
func (m *machine) absolute(file string) string {
	if m.dir != "" && !rooted(file) {
		return path.Join(m.dir, file)
	}
	return path.Clean(file)
}

// mounted is the machine on which a file lies that is reached through a mount.
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

// ztcp is zsh's command that connects: the number of the connection is in REPLY.
func ztcp(m *machine, args []value, _ value) value {
	var plain []value
	for i, a := range args {
		switch {
		case a.text == "-l" || i > 0 && args[i-1].text == "-d":
		case a.text == "-a":
			return value{} // accepts for the listener
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
