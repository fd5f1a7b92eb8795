package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of the interpretation.
const (
	maxSteps  = 10_000   // commands; each iteration of a loop counts
	maxText   = 16 << 10 // bytes of one expanded value, apart from text that the line contains literally
	maxSpent  = 1 << 20  // bytes of all expanded values together
	maxScript = 3        // nesting of scripts that run scripts
	maxCalls  = 16       // nesting of functions and substitutions
	maxTurns  = 4        // iterations of a loop that are interpreted one by one
)

// machine interprets a script as a shell would run it.
type machine struct {
	c         Command
	noted     map[Source]bool           // the elements of c.Reads
	opened    map[string]bool           // the elements of c.Opens
	scanned   map[string]bool           // lines that were read word by word
	asked     map[Endpoint]bool         // the elements of c.Fetches
	sent      map[string]int            // indexes into c.Sends, by program and endpoint
	vars      map[string][]value        // an array has several values
	args      []value                   // the arguments of the current function
	sourced   bool                      // a file has set variables whose values are not known
	funcs     map[string]*syntax.Stmt   // the bodies of functions, by name
	files     map[string]value          // written content, by path
	pipes     map[string][]*syntax.Stmt // the readers of files made for >(…)
	connected map[string]Endpoint       // file descriptors that are connections
	remotes   map[string]string         // URLs of git's remotes, by name
	rewritten [][2]string               // prefixes of git's URLs and their replacements
	mounts    map[string]Endpoint       // mounted folders of other machines, by path
	aliases   map[string][]value        // the words that an alias stands for, by its name
	typed     bool                      // later lines were interpreted as input that a user types into a program
	dir       string                    // the current folder; "" if it is not known
	committed []Source                  // the secrets in the messages of commits and tags
	// branches is the number of enclosing branches that the shell may skip, such as b in "a && b".
	branches       int
	lost           bool // a limit was exceeded
	steps, spent   int
	scripts, calls int // current nesting
	temp           int // number of files made for <(…) and >(…)
	at             Folder
	loaded, deep   int // number of loaded files in total, and their current nesting
}

func newMachine() *machine {
	return &machine{
		noted:     map[Source]bool{},
		opened:    map[string]bool{},
		scanned:   map[string]bool{},
		asked:     map[Endpoint]bool{},
		sent:      map[string]int{},
		vars:      map[string][]value{},
		funcs:     map[string]*syntax.Stmt{},
		files:     map[string]value{},
		pipes:     map[string][]*syntax.Stmt{},
		connected: map[string]Endpoint{},
		remotes:   map[string]string{},
		mounts:    map[string]Endpoint{},
		aliases:   map[string][]value{},
	}
}

// step counts a command. It returns false if there are too many commands.
func (m *machine) step() bool {
	if m.steps++; m.steps > maxSteps {
		m.giveUp()
	}
	return m.steps <= maxSteps
}

// giveUp records that a limit was exceeded.
func (m *machine) giveUp() { m.lost, m.c.Opaque = true, true }

// script runs code whose text is known.
func (m *machine) script(code string, in value) value {
	stmts, ok := parse(code)
	if !ok && m.scripts < maxScript && m.typedLines(code) {
		m.c.Opaque = true
		return value{}
	}
	if !ok || m.scripts >= maxScript {
		m.giveUp()
		m.scan(code)
		return value{}
	}
	m.scripts++
	defer func() { m.scripts-- }()
	var out value
	for i, s := range stmts {
		given := in
		if i+1 < len(stmts) && !m.typed && interactive(s) { // in a terminal, the program reads the lines that follow
			m.typed = true
			given = in.then(literal(code[stmts[i+1].Pos().Offset():]))
		}
		out = out.then(m.stmt(s, given))
	}
	return out
}

// typedLines runs a script whose first line starts a program in the shell. The program reads the other lines.
func (m *machine) typedLines(code string) bool {
	first, rest, found := strings.Cut(code, "\n")
	stmts, ok := parse(first)
	if m.typed || !found || !ok || len(stmts) != 1 || !interactive(stmts[0]) {
		return false
	}
	m.typed = true
	m.stmt(stmts[0], literal(rest))
	return true
}

// interactive reports whether a statement only starts a program that reads what the user types.
func interactive(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(s.Redirs) > 0 || len(call.Args) == 0 || s.Background {
		return false
	}
	fields := make([]value, len(call.Args))
	for i, w := range call.Args {
		fields[i] = literal(w.Lit())
	}
	row, rest := lookup(fields)
	if row.marks["puts"] {
		return true
	}
	return slices.Contains(row.args, script) && len(rest) == 0
}
