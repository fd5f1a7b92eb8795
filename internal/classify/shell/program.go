package shell

import (
	"cmp"
	_ "embed" // for the table
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// program is a row of programs.txt, which says what a program does with its arguments.
type program struct {
	name  string
	marks map[string]bool // properties of the program as a whole
	args  []role          // roles of the arguments that are not flags; the last one repeats
	flags map[string]role // roles of the values of flags
}

// role says what a program does with an argument.
type role string

// The roles. The file programs.txt explains them.
const (
	skip       role = "skip"
	read       role = "read"
	write      role = "write"
	pattern    role = "pattern"
	to         role = "to"
	peer       role = "peer"
	mail       role = "mail"
	address    role = "address"
	send       role = "send"
	header     role = "header"
	credential role = "credential"
	body       role = "body"
	form       role = "form"
	item       role = "item"
	file       role = "file"
	place      role = "place"
	gitRemote  role = "remote"
	run        role = "run"
	exec       role = "exec"
	code       role = "code"
	script     role = "script"
	soft       role = "soft"
	pair       role = "pair"
	named      role = "named"
	method     role = "method"
	backdoor   role = "shell"
	tunnel     role = "tunnel"
	encoded    role = "encoded"
	decide     role = "decide"
	process    role = "process"
	match      role = "match"
	service    role = "service"
	holders    role = "holders"
	keys       role = "keys"
	makefile   role = "makefile"
	listen     role = "listen"
	bind       role = "bind"
	site       role = "site"
	repo       role = "repo"
	resolve    role = "resolve"
	connect    role = "connect"
	config     role = "config"
	maybe      role = "maybe"
	ex         role = "ex"
	whose      role = "whose"
	image      role = "image"
)

//go:embed programs.txt
var programsText string

// programs returns the rows by name: "curl", "git push".
var programs = sync.OnceValues(func() (map[string]*program, error) { return parsePrograms(programsText) })

// parsePrograms reads the table.
func parsePrograms(table string) (map[string]*program, error) {
	rows := map[string]*program{}
	for i, line := range strings.Split(table, "\n") {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) == "" {
			continue
		}
		parts := strings.Split(line, "|")
		p := &program{marks: map[string]bool{}, flags: map[string]role{}}
		for _, w := range strings.Fields(parts[min(1, len(parts)-1)]) {
			switch {
			case roles()[role(w)]:
				p.args = append(p.args, role(w))
			case marks()[w]:
				p.marks[w] = true
			default:
				return nil, fmt.Errorf("line %d of the table of programs: unknown role or mark %q", i+1, w)
			}
		}
		for _, group := range parts[min(2, len(parts)):] {
			name, list, ok := strings.Cut(group, ":")
			r := role(strings.TrimSpace(name))
			if !ok || !roles()[r] {
				return nil, fmt.Errorf("line %d of the table of programs: missing role in the group of flags %q", i+1, group)
			}
			for _, flag := range strings.Fields(list) {
				p.flags[flag] = r
			}
		}
		for _, name := range strings.Split(parts[0], ",") {
			row := *p
			row.name = strings.TrimSpace(name)
			if rows[row.name] != nil {
				return nil, fmt.Errorf("line %d of the table of programs: duplicate row for %s", i+1, row.name)
			}
			rows[row.name] = &row
		}
	}
	return rows, nil
}

var (
	marks = words(
		"filter same quiet secret hand puts acts folder push registry private login decides telling likely signals machine " +
			"serves control typed keeps tries plus lists commits",
	)
	roles = sync.OnceValue(func() map[role]bool {
		set := map[role]bool{}
		for _, r := range []role{skip, read, write, pattern, to, peer, mail, address, send, header,
			credential, body, form, item, file, place, gitRemote, run, exec, code, script, soft, method, pair,
			named, backdoor, tunnel, encoded, decide,
			process, match, service, holders, keys, makefile,
			listen, bind, site, repo, resolve, connect, config, maybe, ex, whose, image} {
			set[r] = true
		}
		return set
	})
)

// unlisted is the row for programs that programs.txt does not list.
var unlisted = &program{args: []role{soft}}

// anything returns the row for an unknown program. Its arguments count as sent to the URLs among them.
func anything() *program {
	rows, err := programs()
	if err != nil {
		panic(err)
	}
	row := *rows["curl"]
	row.name, row.args = "unknown", unlisted.args
	return &row
}

// lookup returns the row with the longest name that matches a command: the first of "git remote add", "git remote" and
// "git" that exists. rest are the arguments after the words of the name.
func lookup(fields []value) (row *program, rest []value) {
	rows, err := programs()
	if err != nil {
		panic(err) // the table is embedded; a test parses it
	}
	name := programName(fields[0].text)
	row = rows[name]
	if row == nil {
		if row = rows[strings.ToLower(name)]; row == nil {
			row = &program{name: name, args: unlisted.args}
		}
	}
	rest = fields[1:]
	long, left := row.name, rest
	for range 3 {
		i := firstWord(row, left)
		if i < 0 {
			break
		}
		long += " " + left[i].text
		left = left[i+1:] // the flags before the subcommand belong to the program
		if sub := rows[long]; sub != nil {
			row, rest = sub, left
		}
	}
	return row, rest
}

// firstWord returns the index of the first argument that is neither a flag nor the value of a flag, or -1.
func firstWord(row *program, args []value) int {
	for i := 0; i < len(args); i++ {
		a := args[i].text
		if !strings.HasPrefix(a, "-") {
			return i
		}
		if _, takes := row.flags[a]; takes {
			i++
		}
	}
	return -1
}

// programName returns the name of a program without its folder. It returns a text that names no program, such as a
// folder, unchanged.
func programName(s string) string {
	whole := s
	if i := strings.LastIndexAny(s, `/\`); i >= 0 {
		s = s[i+1:]
	}
	if s = strings.TrimSuffix(s, ".exe"); s == "" {
		return cmp.Or(whole, `""`)
	}
	if strings.ContainsAny(s, "*?[") {
		return globbed(s)
	}
	return unversioned(s)
}

// unversioned removes the version from the name of a program: lua5.4, python3.12.
func unversioned(s string) string {
	stem := strings.TrimRight(s, "0123456789.")
	if stem == s || stem == "" {
		return s
	}
	rows, err := programs()
	if err != nil || rows[s] != nil || rows[stem] == nil {
		return s
	}
	return stem
}

// globbed returns a program that a pattern such as c?rl matches. It prefers a program that sends data.
func globbed(pattern string) string {
	rows, err := programs()
	if err != nil || len(strings.Trim(pattern, "*?[]")) < 2 {
		return pattern
	}
	found := pattern
	for name, row := range rows {
		if ok, err := path.Match(pattern, name); err == nil && ok {
			if found == pattern || row.reaches() {
				found = name
			}
		}
	}
	return found
}

// reaches reports whether the program connects to other machines.
func (p *program) reaches() bool {
	return slices.ContainsFunc(p.args, func(r role) bool { return r == to || r == peer || r == mail || r == place }) ||
		p.marks["hand"]
}
