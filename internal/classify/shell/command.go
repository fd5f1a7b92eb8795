package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mcpproxy/internal/locate"
)

// Command says what a command line does with data.
type Command struct {
	Reads   []Source   // files, variables and secret stores that it reads, without duplicates
	Sends   []Send     // what it sends to others
	Fetches []Endpoint // addresses from which it fetches something without sending data
	// Contents are those of Fetches whose content it fetches. The others only list the names that the user's account
	// has there.
	Contents []Endpoint
	// Connects are systems of the user, outside this machine, to which it logs in.
	Connects []Endpoint
	Relays   bool     // commands that it runs on another machine fetch something from others
	Private  bool     // its output may contain data of this machine
	Prints   []Source // the sources on this machine of its output
	Opaque   bool     // a part of it could not be interpreted
	// Decides is the call of a program that changes what agents may do, such as "mcpproxy trust approve"; "" if there
	// is none.
	Decides string
	// Writes are the paths that it may write, replace or remove, without duplicates and as far as they are known. A
	// path that is not absolute belongs to an unknown folder. A path that ends with "/**" is a folder with its whole
	// content. A path under [Found] is wherever the shell finds the program.
	Writes []string
	// Opens are the paths of the files that it may read, and of the folders whose content it may read. They have the
	// form of Writes.
	Opens []string
	// Stops is the call of a program that stops, freezes or traces mcpproxy or shuts the machine down, such as "pkill
	// mcpproxy"; "" if there is none.
	Stops string
	// Signals are the ids of processes that it signals or traces, and ports, as ":8080", whose processes it ends;
	// without duplicates.
	Signals []string
	// Knocks are the texts of requests for "/api/v1/", "/mcp" and "/orchestrator/". mcpproxy accepts decisions and
	// calls under these paths, but other programs use them too.
	Knocks []string
	// Wrote is the content that it writes into files, in the order of the line and as far as it is known.
	Wrote []Content
}

// Found is the folder in the path of a program whose location the line looks up: $(which mcpproxy) prints
// $PATH/mcpproxy.
const Found = "$PATH/"

// Kind is the kind of a source.
type Kind string

// The kinds of source.
const (
	File     Kind = "file"
	Variable Kind = "variable"
	Output   Kind = "output" // the output of a program about this machine
	remote   Kind = "remote" // data that came from outside; never reported
)

// Source says where data on this machine comes from.
type Source struct {
	Kind   Kind
	Name   string // the path, the variable's name, or the program's
	Of     string // the entry that a program reads from a secret store; "" if it is not known
	Secret bool   // secret by its name: a token in a variable, a program that prints passwords
	Proves bool   // it is sent only where a request proves who asks, such as in a header
}

// Send is data that is sent to others.
type Send struct {
	By    string   // the program
	To    Endpoint //
	Data  []Source // data of this machine that is sent; empty if only text of the command line is sent
	Guess bool     // found by reading the line word by word
	Keeps bool     // the program stores it in a secret store
}

// OnlyProves reports whether all that is handed over proves who asks.
func (s *Send) OnlyProves() bool {
	return len(s.Data) > 0 && !slices.ContainsFunc(s.Data, func(d Source) bool { return !d.Proves })
}

// IsNamedFor reports whether a source is called by a label of the host that it goes to, such as GRAFANA_TOKEN at
// grafana.stg.acme.net, ~/.zenodo at zenodo.org or the entry kv/sendgrid/root at api.sendgrid.com, or by an
// abbreviation of it, such as GL_ADMIN at gitlab.acme.net. The owner of another site can use such a host name too.
func (s Source) IsNamedFor(host string) bool {
	labels := strings.FieldsFunc(strings.ToLower(host), func(r rune) bool { return r == '.' || r == '-' })
	if first, _, ok := strings.Cut(strings.ToLower(s.Name), "_"); ok && s.Kind == Variable && !common()[first] {
		short := func(label string) bool { return abbreviates(first, label) }
		if slices.ContainsFunc(labels, short) || len(first) > 2 && locate.IsCalled(host, first) {
			return true
		}
	}
	return slices.ContainsFunc(s.words(), func(w string) bool {
		return len(w) >= leastOwner && !unspecific()[w] && !ofEverybody()[w] && slices.Contains(labels, w)
	})
}

// abbreviates reports whether a short word consists of letters of a label in their order, from the first one, as gl
// does for gitlab.
func abbreviates(short, label string) bool {
	if len(short) < 2 || len(short) >= leastOwner || len(label) < 2*len(short)+1 || short[0] != label[0] ||
		unspecific()[short] {
		return false
	}
	for i := range len(label) {
		if short != "" && label[i] == short[0] {
			short = short[1:]
		}
	}
	return short == ""
}

// common are short words in names of variables that do not identify a service.
var common = words("db pg ci cd qa ui id os vm ip tf env ssh ssl tls jwt aws gcp dev stg prd sql app job pr pw tmp usr")

// words returns the words of the source's own name, in lower case.
func (s Source) words() []string {
	name := path.Base(s.Name)
	if s.Kind == Output {
		name = s.Of
	}
	between := func(r rune) bool { return strings.ContainsRune("_-./: ", r) }
	return strings.FieldsFunc(strings.ToLower(name), between)
}

// Foreign reports whether a source, by its name, is a credential for another service than that of a host.
func (s Source) Foreign(host string) bool {
	e := Endpoint{Kind: "host", Value: host}
	if s.Kind == Variable {
		return e.foreign(s)
	}
	return slices.ContainsFunc(s.words(), func(w string) bool { return e.foreign(Source{Name: w}) })
}

// Flows are the sends by which data of this machine leaves it.
func (c *Command) Flows() []Send {
	return slices.DeleteFunc(slices.Clone(c.Sends), func(s Send) bool { return len(s.Data) == 0 })
}

// Keeps reports whether everything that is sent to an endpoint goes into a secret store there.
func (c *Command) Keeps(e Endpoint) bool {
	kept := false
	for _, s := range c.Sends {
		if s.To == e && !s.Keeps {
			return false
		}
		kept = kept || s.To == e
	}
	return kept && !slices.Contains(c.Fetches, e)
}

// Endpoints returns all receivers that the command addresses, without duplicates.
func (c *Command) Endpoints() []Endpoint {
	out := slices.Clone(c.Fetches)
	for _, s := range c.Sends {
		out = append(out, s.To)
	}
	slices.SortFunc(out, func(a, b Endpoint) int { return strings.Compare(a.Kind+a.Value, b.Kind+b.Value) })
	return slices.Compact(out)
}

// Limits of what is parsed. A line beyond them is read word by word.
const (
	maxBytes    = 64 << 10
	maxBrackets = 100  // open at once
	maxKeywords = 1000 // that begin a compound command
)

// Parse analyses a command line of a Unix shell.
func Parse(command string) Command { return ParseIn(command, Folder{}) }

// ParseArgs analyses a command that is given as a list of arguments, as exec takes it.
func ParseArgs(args []string) Command { return ParseArgsIn(args, Folder{}) }

// ParsePowerShell analyses a PowerShell command line.
func ParsePowerShell(command string) Command {
	m := newMachine()
	m.powershell(command)
	return m.c
}

// done returns the result. If a part of the command could not be interpreted, the line is also read word by word.
func (m *machine) done(out value, command string) Command {
	if m.lost {
		m.scan(command)
	}
	if e, ok := m.connected["1"]; ok {
		m.send(Send{By: "/dev/tcp", To: e, Data: out.data})
	}
	m.c.Prints = local(out.data)
	m.c.Private = len(m.c.Prints) > 0
	return m.c
}

// parse returns the statements of a script.
func parse(script string) ([]*syntax.Stmt, bool) {
	if len(script) > maxBytes || tooDeep(script) {
		return nil, false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, false
	}
	return file.Stmts, true
}

// tooDeep reports whether a script may be nested so deeply that parsing it takes more than linear time. Brackets in
// quotes count too.
func tooDeep(script string) bool {
	open := 0
	keywords := 0
	start := 0
	for i := 0; i <= len(script); i++ {
		if i < len(script) && (script[i] >= 'a' && script[i] <= 'z' || script[i] == '!') {
			continue
		}
		switch script[start:i] {
		case "if", "while", "until", "for", "case", "select", "time", "coproc", "!":
			keywords++
		}
		start = i + 1
		if i == len(script) {
			break
		}
		switch script[i] {
		case '(', '{', '[':
			open++
		case ')', '}', ']':
			open = max(open-1, 0)
		}
		if open > maxBrackets || keywords > maxKeywords {
			return true
		}
	}
	return false
}
