package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// xargs runs a program with its standard input as further arguments.
func xargs(m *machine, args []value, in value) value {
	row, rest := lookup(append([]value{literal("xargs")}, args...))
	name := ""
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		flag := rest[0].text
		rest = rest[1:]
		if strings.HasPrefix(flag, "-I") || strings.HasPrefix(flag, "-i") {
			if name = flag[2:]; name == "" {
				name = "{}"
				if flag == "-I" && len(rest) > 0 {
					name = rest[0].text
				}
			}
		}
		long, inline, has := strings.Cut(flag, "=")
		switch r, takes := row.flags[long]; {
		case takes && r == read && has:
			in = m.open(literal(inline), in)
		case strings.HasPrefix(flag, "-a") && len(flag) > 2:
			in = m.open(literal(flag[2:]), in)
		case takes && !has && len(rest) > 0:
			if r == read {
				in = m.open(rest[0], in)
			}
			rest = rest[1:]
		}
	}
	var more []value
	for _, f := range strings.Fields(in.text) {
		more = append(more, value{f, in.known, in.data})
	}
	if len(more) == 0 {
		more = []value{{data: in.data}}
	}
	if name == "" {
		return m.run(append(rest[:len(rest):len(rest)], more...), value{})
	}
	fields := make([]value, len(rest))
	for i, f := range rest {
		if strings.Contains(f.text, name) {
			f = value{strings.ReplaceAll(f.text, name, more[0].text), f.known && in.known, union(f.data, in.data)}
		}
		fields[i] = f
	}
	return m.run(fields, value{})
}

// find prints paths. The output contains its search pattern in place of the paths that match.
func find(m *machine, args []value, in value) value {
	base, found := "", value{}
	for i, a := range args {
		switch {
		case i > 0 && (args[i-1].text == "-name" || args[i-1].text == "-iname" || args[i-1].text == "-path" || args[i-1].text == "-wholename"):
			found.text = a.text
			if base != "" && base != "." {
				found.text = strings.TrimRight(base, "/") + "/**/" + strings.TrimPrefix(a.text, "/")
			}
		case found.text == "" && !strings.HasPrefix(a.text, "-") && (i == 0 || !strings.HasPrefix(args[i-1].text, "-")):
			found.text, base = a.text, a.text
		case a.text == "-delete" && slices.ContainsFunc(args, func(a value) bool { return a.text == "-empty" }):
		case a.text == "-delete":
			m.deletes(base, found.text)
		case a.text == "-exec" || a.text == "-execdir" || a.text == "-ok" || a.text == "-okdir" || a.text == "-x" || a.text == "-X":
			var fields []value
			for _, f := range args[i+1:] {
				if f.text == ";" || f.text == "+" {
					break
				}
				if strings.Contains(f.text, "{}") {
					f = value{text: strings.ReplaceAll(f.text, "{}", found.text)}
				}
				fields = append(fields, f)
			}
			return m.run(fields, in)
		}
	}
	return value{text: found.text, data: []Source{{Kind: Output, Name: "find"}}}
}

// deletes records that find removes the files that it finds below base.
func (m *machine) deletes(base, found string) {
	switch {
	case base == found:
		m.change(base)
		m.change(below(base))
	case base == "" || base == ".":
		m.change("**/" + found)
	default:
		m.change(found)
	}
}

func dd(m *machine, args []value, in value) value {
	out, to := in, ""
	for _, a := range args {
		name, file, _ := strings.Cut(a.text, "=")
		switch name {
		case "if":
			out = m.open(value{file, a.known, a.data}, in)
		case "of":
			to = file
		}
	}
	if to == "" {
		return out
	}
	m.write(to, out, false)
	if !harmless(to) {
		m.change(path.Dir(to))
	}
	return value{}
}

// tar packs files if its arguments create an archive. Otherwise it unpacks one.
func tar(m *machine, args []value, in value) value {
	if len(args) > 0 && !strings.HasPrefix(args[0].text, "-") {
		args = append([]value{{"-" + args[0].text, args[0].known, args[0].data}}, args[1:]...)
	}
	create := false
	archive := "-"
	into := ""
	var files []value
	for i := 0; i < len(args); i++ {
		a := args[i].text
		long := strings.HasPrefix(a, "--")
		m.tarRuns(args[i])
		switch {
		case !strings.HasPrefix(a, "-") || a == "-":
			f := args[i]
			if into != "" && !rooted(f.text) {
				f.text = path.Join(into, f.text)
			}
			files = append(files, f)
		case long && strings.HasPrefix(a, "--directory="):
			into = a[len("--directory="):]
		case long && strings.HasPrefix(a, "--file="):
			archive = a[len("--file="):]
		case a == "--exclude" || a == "--transform" || a == "-X" || a == "--exclude-from":
			i++
		case (a == "-C" || a == "--directory") && i+1 < len(args):
			i++
			into = args[i].text
		case !long && strings.HasSuffix(a, "f") && i+1 < len(args):
			i++
			archive = args[i].text
		}
		create = create || a == "--create" || !long && len(a) > 1 && a[0] == '-' && strings.ContainsAny(a, "cru")
	}
	if !create {
		m.change(cmp.Or(into, "."))
		return value{}
	}
	var out value
	for _, f := range files {
		out = out.then(m.open(f, in).changed())
	}
	if archive == "-" {
		return out
	}
	if e, ok := remotePath(archive); ok { // over ssh
		m.send(Send{By: "tar", To: e, Data: out.data})
		return value{}
	}
	m.write(archive, out, false)
	return value{}
}

// tarCommands are the options with which tar runs a program.
var tarCommands = []string{"--checkpoint-action=exec=", "--to-command=", "--use-compress-program=", "--rsh-command="}

// tarRuns runs the command line in an option of tar.
func (m *machine) tarRuns(a value) {
	for _, option := range tarCommands {
		if command, ok := strings.CutPrefix(a.text, option); ok {
			m.runText(value{command, a.known, a.data}, value{})
		}
	}
}
