package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// run runs a command. Its fields are already expanded. The result is its output.
func (m *machine) run(fields []value, in value) value {
	if len(fields) == 0 {
		return value{}
	}
	if !m.step() {
		return value{}
	}
	name := fields[0]
	if prefix, ok := m.aliases[name.text]; ok {
		delete(m.aliases, name.text) // within the expansion, the name means the program
		defer func() { m.aliases[name.text] = prefix }()
		return m.run(append(prefix[:len(prefix):len(prefix)], fields[1:]...), in)
	}
	if body, ok := m.funcs[name.text]; ok {
		return m.function(body, fields[1:], in)
	}
	row, rest := lookup(fields)
	m.changes(row.name, fields[1:], rest)
	m.loadsFor(row.name, fields[1:])
	if programName(name.text) == "git" {
		m.gitSettings(fields[1:])
	}
	if strings.Contains(name.text, "/") {
		if v, ok := m.file(name.text); ok { // the line has written this file
			if v.known {
				return m.runFile(name.text, v, fields[1:], in)
			}
			m.foreign(v.data)
		}
	}
	m.claims(row, name, rest)
	if name.known && isSilent(name.text) {
		return value{}
	}
	if f := builtinOf(row.name); f != nil {
		return f(m, rest, in)
	}
	if !name.known {
		m.c.Opaque = true // the program is not known
		row = anything()
	}
	m.knock(row.name, rest, in)
	if row.marks["tries"] && onlyTries(rest) {
		return value{}
	}
	d := doing{m: m, row: row, in: in}
	if row.marks["signals"] {
		rest = unsignalled(row.name, rest)
	}
	d.own = row.marks["serves"] || d.listensBy(rest)
	d.listens = d.own
	d.oneWay = slices.Contains(row.args, address) &&
		slices.ContainsFunc(rest, func(a value) bool { return a.text == "-u" })
	if row.marks["control"] {
		d.hand(from(control))
	}
	d.defaults()
	d.lead(fields, rest)
	d.proxies()
	d.arguments(rest)
	d.guess(rest)
	return d.finish(fields)
}

// isSilent reports whether a command is a shell builtin that prints and sends nothing. A program of the same name in a
// folder, such as ./test, can do anything.
func isSilent(name string) bool {
	switch name {
	case "test", "[", "true", "false", ":":
		return true
	}
	return false
}

// onlyTries reports whether the arguments ask for a dry run. A dry-run flag after another flag does not count, because
// it may be the value of that flag. After "--" it does not count either, because it is then the name of a file.
func onlyTries(args []value) bool {
	for i, a := range args {
		if a.text == "--" {
			return false
		}
		dry := a.text == "--dry-run" || a.text == "--dryrun"
		if a.known && dry && (i == 0 || args[i-1].known && !strings.HasPrefix(args[i-1].text, "-")) {
			return true
		}
	}
	return false
}

// function runs a shell function that the script defines.
func (m *machine) function(body *syntax.Stmt, args []value, in value) value {
	if m.calls++; m.calls > maxCalls {
		m.calls--
		m.giveUp()
		return value{}
	}
	outer := m.args
	m.args = args
	defer func() { m.calls--; m.args = outer }()
	return m.stmt(body, in)
}

// doing is the state of one run of a program.
type doing struct {
	m      *machine
	row    *program
	in     value
	to     []Endpoint
	given  value // the data that is sent
	creds  []Source
	hands  bool // the program sends something, even if it is only text
	out    value
	typed  string // text typed into another terminal
	said   string // text sent to the other side
	shell  bool   // the other side gets a shell
	loops  bool   // the other side is this machine and runs the text
	jump   value  // the machine that makes the connection to the other side
	enters bool   // one of the addresses is a login page
	near   bool   // the other side is a local folder or a host of this network
	read   bool   // the output depends on the sources that the arguments name
	ran    bool   // the output is the output of another program
	files  []string
	place  []value
	led    bool // a flag has set the value that the first argument usually sets

	listens bool // the program waits for connections
	own     bool // the addresses in the arguments are addresses on which it listens
	closed  bool // only this machine can connect to them
	began   bool // the first of two addresses is processed
	oneWay  bool // data goes only from the first address to the second
}

// maxEntry is the maximum length of the name of an entry of a secret store, in bytes.
const maxEntry = 100

// entry returns the entry of a secret store that the arguments name, such as kv/sendgrid/root. It returns "" without
// such a name, and for a name longer than maxEntry.
func entry(fields []value) string {
	var words []string
	size := 0
	for _, f := range fields {
		if f.known && !strings.HasPrefix(f.text, "-") {
			words = append(words, f.text)
			size += len(f.text)
		}
	}
	if size > maxEntry {
		return ""
	}
	return strings.Join(words, " ")
}

// isAppend reports whether a field makes tee append to its files.
func isAppend(f value) bool { return f.text == "--append" || isShort(f.text, "a") }

// beyond records what commands on another machine of the user do: the data that they send from there to third parties,
// and whether they fetch anything from third parties.
func (d *doing) beyond() {
	if d.m.calls >= maxCalls {
		return
	}
	there := newMachine()
	there.calls = d.m.calls + 1
	there.steps = d.m.steps
	there.scripts = d.m.scripts
	there.script(d.said, d.in)
	d.m.steps = there.steps
	d.m.c.Relays = d.m.c.Relays || there.c.Opaque || len(there.c.Contents)+len(there.c.Sends) > 0 || there.c.Relays
	for _, s := range there.c.Sends {
		if len(s.Data) > 0 && s.To.Kind == "host" && !s.To.Configured {
			d.m.send(s)
		}
	}
}

// finish sends the data of the program and returns its output.
func (d *doing) finish(fields []value) value {
	m, marks := d.m, d.row.marks
	if marks["decides"] {
		d.m.c.Decides = d.row.name
	}
	d.ended()
	switch {
	case d.loops: // ssh localhost
		m.script(d.said, d.in)
	case d.row.marks["private"] && slices.Contains(d.row.args, peer):
		d.beyond()
	}
	if d.typed != "" {
		d.types()
	}
	if marks["machine"] && !slices.ContainsFunc(fields, func(f value) bool { return idle()[f.text] }) {
		m.stops(d.row.name, "")
	}
	if marks["hand"] && d.in.carries() || len(d.to) > 0 && len(d.in.data) > 0 && slices.Contains(d.row.args, soft) {
		d.hand(d.in)
	}
	if marks["puts"] {
		d.puts(d.said + "\n" + d.in.text)
	}
	if !d.ran && !d.read && slices.Contains(d.row.args, script) {
		if d.in.known {
			d.argument(code, d.in)
		}
		m.foreign(d.in.data)
	}
	d.places()
	d.listening()
	d.commits()
	d.reach()
	out := d.out
	switch {
	case d.ran:
	case d.row.name == "env":
		out = out.then(m.reads(environment))
	case marks["secret"]:
		out = out.then(m.reads(Source{
			Kind:   Output,
			Name:   d.row.name,
			Of:     entry(fields),
			Secret: true,
		}))
	case marks["private"]:
		out = out.then(m.reads(Source{Kind: Output, Name: d.row.name}))
	case marks["filter"]:
		if !d.read {
			out = out.then(d.in)
		}
		if !marks["same"] {
			out = narrowed(fields, decoded(fields, out))
		}
	case marks["quiet"] || len(d.to) > 0 || marks["push"] || marks["registry"]:
	default:
		out = out.with(d.in.data).with([]Source{{Kind: Output, Name: d.row.name}})
	}
	for _, f := range d.files {
		m.write(f, out, d.row.name == "tee" && slices.ContainsFunc(fields, isAppend))
	}
	return out
}
