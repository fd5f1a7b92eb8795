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
	// Contents are the addresses of Fetches from which the command fetches content. From the others it only lists the
	// names that the user's account has there.
	Contents []Endpoint
	// Connects are systems of the user, outside this machine, to which the command logs in.
	Connects []Endpoint
	Relays   bool     // commands that it runs on another machine fetch data from third parties
	Private  bool     // its output may contain data of this machine
	Prints   []Source // the sources on this machine from which its output comes
	Opaque   bool     // a part of it could not be interpreted
	// Decides is the command that changes what agents may do, such as "mcpproxy trust approve", or "".
	Decides string
	// Writes are the known paths that the command may write, replace or remove, without duplicates. A relative path
	// belongs to an unknown folder. A path that ends with "/**" is a folder with its whole content. A path that begins
	// with [Found] is the place where the shell finds a program.
	Writes []string
	// Opens are the paths of the files, and of the folders with their content, that the command may read. They have
	// the form of Writes.
	Opens []string
	// Stops is the command that stops, freezes or traces mcpproxy or shuts the machine down, such as "pkill mcpproxy",
	// or "".
	Stops string
	// Signals are the ids of the processes that the command signals or traces. A port, as ":8080", stands for the
	// processes that use it. There are no duplicates.
	Signals []string
	// Knocks are the texts of requests to paths under "/api/v1/", "/mcp" and "/orchestrator/". Under these paths
	// mcpproxy accepts decisions and calls. Other programs use the same paths.
	Knocks []string
	// Wrote is the content that the command writes into files, as far as it is known, in the order of the line.
	Wrote []Content
}

// Found is the prefix of a path that the shell finds by searching $PATH. For the interpreter, "which mcpproxy" prints
// "$PATH/mcpproxy", because the real folder is not known.
const Found = "$PATH/"

// Kind is the kind of a source.
type Kind string

// The kinds of source.
const (
	File     Kind = "file"
	Variable Kind = "variable"
	Output   Kind = "output" // the output of a program about this machine
	remote   Kind = "remote" // data that came from outside; Command never reports it
)

// Source says where data on this machine comes from.
type Source struct {
	Kind   Kind
	Name   string // the path, or the name of the variable or the program
	Of     string // the entry that a program reads from a secret store, or ""
	Secret bool   // its name says that it is secret: a token in a variable, a program that prints passwords
	Proves bool   // it is sent only as proof of who sends the request, such as in a header
}

// Send is one transfer of data to a receiver.
type Send struct {
	By    string   // the program
	To    Endpoint // the receiver
	Data  []Source // data of this machine that is sent; empty if only text of the command line is sent
	Guess bool     // found by reading the line word by word
	Keeps bool     // the program stores the data in a secret store
}

// OnlyProves reports whether all the data only proves who sends the request.
func (s *Send) OnlyProves() bool {
	return len(s.Data) > 0 && !slices.ContainsFunc(s.Data, func(d Source) bool { return !d.Proves })
}

// IsNamedFor reports whether the name of a source contains a label of the host to which it goes: GRAFANA_TOKEN at
// grafana.stg.acme.net, ~/.zenodo at zenodo.org, the entry kv/sendgrid/root at api.sendgrid.com. An abbreviation of
// the label is enough: GL_ADMIN at gitlab.acme.net. Such a name proves nothing, because the owner of another site can
// use the same label.
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

// abbreviates reports whether a short word abbreviates a label. It starts with the label's first letter, and the label
// contains its letters in the same order, as gl does for gitlab.
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

// common lists short words in names of variables that identify no service.
var common = words("db pg ci cd qa ui id os vm ip tf env ssh ssl tls jwt aws gcp dev stg prd sql app job pr pw tmp usr")

// words returns the words of the source's name, in lower case.
func (s Source) words() []string {
	name := path.Base(s.Name)
	if s.Kind == Output {
		name = s.Of
	}
	between := func(r rune) bool { return strings.ContainsRune("_-./: ", r) }
	return strings.FieldsFunc(strings.ToLower(name), between)
}

// Foreign reports whether a source, by its name, is a credential for a service other than the host's.
func (s Source) Foreign(host string) bool {
	e := Endpoint{Kind: "host", Value: host}
	if s.Kind == Variable {
		return e.foreign(s)
	}
	return slices.ContainsFunc(s.words(), func(w string) bool { return e.foreign(Source{Name: w}) })
}

// Flows returns the sends by which data leaves this machine.
func (c *Command) Flows() []Send {
	return slices.DeleteFunc(slices.Clone(c.Sends), func(s Send) bool { return len(s.Data) == 0 })
}

// Keeps reports whether all data that the command sends to an endpoint goes into a secret store there.
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

// Endpoints returns all endpoints to which the command connects, without duplicates.
func (c *Command) Endpoints() []Endpoint {
	out := slices.Clone(c.Fetches)
	for _, s := range c.Sends {
		out = append(out, s.To)
	}
	slices.SortFunc(out, func(a, b Endpoint) int { return strings.Compare(a.Kind+a.Value, b.Kind+b.Value) })
	return slices.Compact(out)
}

// Limits of the parser. A line that exceeds one is read word by word.
const (
	maxBytes    = 64 << 10
	maxBrackets = 100  // brackets that are open at the same time
	maxKeywords = 1000 // keywords that begin a compound command
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

// done returns the result. It also reads the line word by word if a part of the command could not be interpreted.
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
