package shell

import (
	"slices"
	"strings"
)

// arguments processes every argument according to its role.
func (d *doing) arguments(args []value) {
	roles, plain := d.row.args, false
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !plain && len(a.text) > 1 && a.text[0] == '-' {
			if a.text == "--" {
				plain = true
				continue
			}
			r, v, used := d.flag(a, args[i+1:])
			i += used
			switch r {
			case exec:
				d.exec(append([]value{v}, args[i+1:]...))
				return
			case "":
			default:
				d.led = d.led || r == pattern || r == code || r == run
				d.argument(r, v)
			}
			continue
		}
		if d.row.marks["plus"] && (strings.HasPrefix(a.text, "+") || recordTypes()[strings.ToLower(a.text)]) {
			d.given.data = union(d.given.data, a.data)
			continue
		}
		for len(roles) > 1 && (d.led && (roles[0] == pattern || roles[0] == code || roles[0] == script) ||
			roles[0] == method && !isMethod(a.text)) {
			roles = roles[1:]
		}
		if len(roles) == 0 {
			d.out.data = union(d.out.data, a.data)
			continue
		}
		r := roles[0]
		if len(roles) > 1 {
			roles = roles[1:]
		}
		if r == exec {
			d.exec(args[i:])
			return
		}
		d.argument(r, a)
	}
}

// logsIn reports whether a flag, by its name, has a credential as its value.
func logsIn(flag string) bool {
	flag = strings.ToLower(flag)
	return slices.ContainsFunc(loginFlags, func(end string) bool { return strings.HasSuffix(flag, end) })
}

// loginFlags lists endings of the names of flags for credentials.
var loginFlags = []string{"token", "password", "passwd", "_auth", "api-key", "apikey", "api_key", "auth-key", "secret-key"}

// recordTypes lists the types of DNS records. A query can name one before the host.
var recordTypes = words("a aaaa mx txt ns cname soa any ptr srv caa ds dnskey https svcb tlsa")

// flag returns the role and the value of a flag, and the number of further arguments that it uses. The role is "" if
// the flag takes no value.
func (d *doing) flag(a value, rest []value) (r role, v value, used int) {
	next := func(r role) (role, value, int) {
		if len(rest) == 0 {
			return "", value{}, 0
		}
		switch {
		case r == pair && len(rest) > 1:
			return skip, rest[1], 2
		case r == named && len(rest) > 1:
			return read, rest[1], 2
		}
		return r, rest[0], 1
	}
	name, inline, has := strings.Cut(a.text, "=")
	if after, jumps := strings.CutPrefix(a.text, "-J"); jumps && d.row.name == "ssh" {
		if d.jump = (value{after, a.known, a.data}); after == "" && len(rest) > 0 {
			d.jump = rest[0]
		}
	}
	if r, ok := d.row.flags[name]; ok {
		switch r {
		case decide:
			d.m.c.Decides = d.row.name + " " + name
			return "", value{}, 0
		case listen:
			return "", value{}, 0
		}
		if has {
			return r, value{inline, a.known, a.data}, 0
		}
		return next(r)
	}
	if !strings.HasPrefix(a.text, "--") {
		for i := 1; i < len(a.text); i++ { // -sSd@file
			r, ok := d.row.flags["-"+a.text[i:i+1]]
			switch {
			case !ok || r == listen:
			case i+1 < len(a.text):
				return r, value{strings.TrimPrefix(a.text[i+1:], "="), a.known, a.data}, 0
			default:
				return next(r)
			}
		}
	}
	_, isURL := endpoint(inline)
	if has && logsIn(name) && (d.row.marks["push"] || d.row.marks["registry"]) {
		d.creds = union(d.creds, a.data) // npm publish --//registry.npmjs.org/:_authToken=$NPM_TOKEN
	} else {
		d.given.data = union(d.given.data, a.data)
	}
	if has && isURL && strings.Contains(inline, "://") && slices.Contains(d.row.args, soft) {
		return soft, value{inline, a.known, a.data}, 0
	}
	return "", value{}, 0
}

// argument processes one argument.
func (d *doing) argument(r role, a value) {
	switch r {
	case read:
		d.read = true
		d.out = d.out.then(d.m.open(a, d.in))
	case write:
		d.files = append(d.files, a.text)
	case to, peer, mail, gitRemote, soft, repo, image:
		d.address(r, a)
	case whose:
		d.to = append(d.to, Endpoint{Kind: "repository", Value: strings.ToLower(a.text)})
	case bind:
		d.bound(a.text)
	case site:
		d.site(a.text)
	case resolve, connect:
		d.redirected(r, a.text)
	case config:
		d.options(a)
	case maybe:
		if pathLike(a.text) {
			d.hand(d.m.open(a, d.in))
		}
	case address:
		d.socat(a)
	case send:
		d.said += a.text + " "
		d.hand(a)
	case header:
		d.credential(a)
	case credential: // user:password
		d.creds = union(d.creds, a.data)
	case body, form, item:
		d.request(r, a)
	case file:
		a.text = strings.TrimPrefix(a.text, "@")
		d.hand(d.m.open(a, d.in))
	case place:
		d.place = append(d.place, a)
	case run:
		d.ran = true
		d.out = d.out.then(d.m.runText(a, d.in))
	case code:
		d.ran = true
		d.out = d.out.then(d.m.code(d.row.name, a, d.in))
	case script:
		d.script(a)
	case encoded:
		d.ran = true
		d.m.powershell(decodedCommand(a.text))
	case process, match, service, holders:
		d.controls(r, a)
	case keys:
		d.typed += a.text + " "
	case makefile:
		d.recipes(a)
	case method:
		d.hands = d.hands || isMethod(a.text) && a.text != "GET" && a.text != "HEAD" && a.text != "OPTIONS"
	case backdoor:
		d.given = d.given.then(d.backdoor(a))
		d.hands = true
	case tunnel:
		d.hand(from(Source{Kind: Output, Name: "port " + a.text}))
	case ex:
		d.ran = true
		d.editor(a)
	case skip, pattern:
		if a.text == "/dev/stdin" {
			d.in = value{} // the file holds settings, not data
		}
		d.out.data = union(d.out.data, a.data)
	}
}

// hand records that the command sends v.
func (d *doing) hand(v value) {
	d.given = d.given.then(v)
	d.hands = true
}

// backdoor returns the program that the other side gets to use. A program that only prints something is run. Any other
// program counts as a shell.
func (d *doing) backdoor(a value) value {
	first, _, _ := strings.Cut(strings.TrimSpace(a.text), " ")
	name := programName(first)
	rows, err := programs()
	if row := rows[name]; err == nil && (name == "echo" || name == "printf" ||
		row != nil && (row.marks["filter"] || row.marks["quiet"])) {
		return d.m.runText(a, d.in)
	}
	d.shell = true
	return from(openShell)
}

// exec interprets the command whose words are fields.
func (d *doing) exec(fields []value) {
	for len(fields) > 0 { // env A=b program
		name, v, ok := strings.Cut(fields[0].text, "=")
		if !ok || strings.ContainsAny(name, "/.-") {
			break
		}
		d.m.vars[name] = []value{{v, fields[0].known, fields[0].data}}
		fields = fields[1:]
	}
	if len(fields) == 1 && strings.ContainsAny(fields[0].text, " \t") { // as tmux and watch take it
		d.ran = true
		d.out = d.out.then(d.m.runText(fields[0], d.in))
		return
	}
	if len(fields) > 0 && slices.Contains(d.row.args, script) { // python -m
		for _, file := range moduleFiles("", fields[0].text) {
			if v, ok := d.m.file(file); ok {
				d.ran = true
				d.out = d.out.then(d.m.runCode(d.row.name, file, v, d.in))
				return
			}
		}
	}
	d.ran = len(fields) > 0
	d.out = d.out.then(d.m.run(fields, d.in))
}

// types runs the text that the command types into a terminal.
func (d *doing) types() {
	line := strings.TrimSpace(d.typed)
	for _, key := range []string{"Enter", "C-m", "C-j", `\n`, "^M"} {
		line = strings.TrimSpace(strings.TrimSuffix(line, key))
	}
	d.m.script(line, value{})
}

// recipes runs the recipes of a makefile that the command line names.
func (d *doing) recipes(file value) {
	v, _ := d.m.file(file.text)
	if file.text == "-" || file.text == "/dev/stdin" {
		v = d.in
	}
	d.m.loads(v.text, func() value { return d.m.recipes(v.text) })
}

// isMethod reports whether an argument is an HTTP method.
func isMethod(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
