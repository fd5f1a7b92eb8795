package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Command is what a command line does with data.
type Command struct {
	Reads   []Source   // files, variables and stores of secrets that it reads, each once
	Sends   []Send     // what it hands to others
	Fetches []Endpoint // whom it asks for something without handing anything over
	// Connects are systems of the user's own that it logs in to, outside this machine.
	Connects []Endpoint
	Private  bool     // what it prints may come from this machine
	Prints   []Source // the sources on this machine of what it prints
	Opaque   bool     // a part of it could not be followed
	// Decides is a program that changes what agents may do, as it was called:
	// "mcpproxy trust approve". "" when there is none.
	Decides string
	// Writes are the paths that it may write, replace or remove, as far as it names
	// them, each once. Those that are not absolute are of a folder that is not known. A
	// path that ends with "/**" is a folder with all that is in it; one under [Found] is
	// wherever the shell finds the program.
	Writes []string
	// Opens are the paths of the files, and of the folders with what is in them, that it
	// may read, each once, as in Writes.
	Opens []string
	// Stops is a program that stops, freezes or traces this firewall or ends the machine,
	// as it was called: "pkill mcpproxy". "" when there is none.
	Stops string
	// Signals are the processes that it signals or traces by their ids, and the ports, as
	// ":8080", whose users it ends; each once.
	Signals []string
	// Knocks are the texts of requests for "/api/v1/", "/mcp" and "/orchestrator/", under
	// which this firewall, among others, takes decisions and calls.
	Knocks []string
	// Wrote is what it puts into files, in the order of the line, as far as that is known.
	Wrote []Content
}

// Found stands before the name of a program whose place the line has asked for: the
// folder that $(which mcpproxy) prints.
const Found = "$PATH/"

// Kind is the kind of a source.
type Kind string

// The kinds of source.
const (
	File     Kind = "file"
	Variable Kind = "variable"
	Output   Kind = "output" // what a program says about this machine
	remote   Kind = "remote" // what came from outside; never reported
)

// Source is where data on this machine comes from.
type Source struct {
	Kind   Kind
	Name   string // the path, the variable's name, or the program's
	Secret bool   // secret by its name: a token in a variable, a program that prints passwords
	Proves bool   // in what is sent: it stands where a request proves who asks, such as in a header, and nowhere else
}

// Send is something handed to others.
type Send struct {
	By    string   // the program
	To    Endpoint //
	Data  []Source // what of this machine goes there; none when it is only text of the command line
	Guess bool     // read word by word
	Keeps bool     // the program puts it into a store of secrets
}

// OnlyProves reports whether all that is handed over proves who asks.
func (s *Send) OnlyProves() bool {
	return len(s.Data) > 0 && !slices.ContainsFunc(s.Data, func(d Source) bool { return !d.Proves })
}

// IsNamedFor reports whether a source is called by a label of the host that it goes to, such as GRAFANA_TOKEN
// at grafana.stg.acme.net or ~/.zenodo at zenodo.org. The owner of another site can call a host so too.
func (s Source) IsNamedFor(host string) bool {
	if s.Kind == Output {
		return false
	}
	labels := strings.FieldsFunc(strings.ToLower(host), func(r rune) bool { return r == '.' || r == '-' })
	name := strings.ToLower(path.Base(s.Name))
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-.", r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return len(w) >= leastOwner && !unspecific()[w] && !ofEverybody()[w] && slices.Contains(labels, w)
	})
}

// Foreign reports whether a source, by its name, is a credential for another service than that of a host.
func (s Source) Foreign(host string) bool { return Endpoint{Kind: "host", Value: host}.foreign(s) }

// Flows are the sends by which data of this machine leaves it.
func (c *Command) Flows() []Send {
	return slices.DeleteFunc(slices.Clone(c.Sends), func(s Send) bool { return len(s.Data) == 0 })
}

// Keeps reports whether all that an endpoint is handed goes into a store of secrets there.
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

// Endpoints returns all receivers that the command addresses, each once.
func (c *Command) Endpoints() []Endpoint {
	out := slices.Clone(c.Fetches)
	for _, s := range c.Sends {
		out = append(out, s.To)
	}
	slices.SortFunc(out, func(a, b Endpoint) int { return strings.Compare(a.Kind+a.Value, b.Kind+b.Value) })
	return slices.Compact(out)
}

// Bounds of what is parsed; beyond them a line is read word by word.
const (
	maxBytes    = 64 << 10
	maxBrackets = 100  // open at once
	maxKeywords = 1000 // that begin a compound command
)

// Parse reads a command line of a Unix shell.
func Parse(command string) Command { return ParseIn(command, Folder{}) }

// ParseArgs reads a command that is a list of arguments, as exec takes it.
func ParseArgs(args []string) Command { return ParseArgsIn(args, Folder{}) }

// ParsePowerShell reads a command line of PowerShell.
func ParsePowerShell(command string) Command {
	m := newMachine()
	m.powershell(command)
	return m.c
}

// done is what was found. What could not be followed to its end is also read
// word by word.
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

// tooDeep reports whether a script may be nested so deeply that parsing it
// takes more than linear time. It counts quoted brackets too.
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
