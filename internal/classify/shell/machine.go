package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of what is followed.
const (
	maxSteps  = 10_000   // commands, each turn of a loop counted
	maxText   = 16 << 10 // bytes of one expanded value, unless the line spells them out
	maxSpent  = 1 << 20  // bytes of all that is expanded
	maxScript = 3        // code that is run by code
	maxCalls  = 16       // functions and substitutions one inside the other
	maxTurns  = 4        // of a loop that are followed one by one
)

// machine follows a script as a shell would run it.
type machine struct {
	c         Command
	noted     map[Source]bool           // what c.Reads holds
	opened    map[string]bool           // what c.Opens holds
	scanned   map[string]bool           // lines that were read word by word
	asked     map[Endpoint]bool         // what c.Fetches holds
	sent      map[string]int            // where in c.Sends, by program and endpoint
	vars      map[string][]value        // arrays have several
	args      []value                   // of the function that runs
	sourced   bool                      // files set variables that are not known
	funcs     map[string]*syntax.Stmt   //
	files     map[string]value          // what was written, by path
	pipes     map[string][]*syntax.Stmt // what reads a file written: >(…)
	connected map[string]Endpoint       // file descriptors that are connections
	remotes   map[string]string         // of git, by name
	rewritten [][2]string               // beginnings of git's URLs, and what stands in their place
	mounts    map[string]Endpoint       // folders of other machines, by path
	aliases   map[string][]value        //
	typed     bool                      // lines were read as typed into a program
	dir       string                    // the folder that the line has gone to; "" when it is not known
	// branches counts the branches around a command that may not be taken.
	branches       int
	lost           bool // there was more than can be followed
	steps, spent   int
	scripts, calls int // one inside the other
	temp           int // files made for <(…) and >(…)
	at             Folder
	loaded, deep   int // files that were run or loaded: in all, and one by the other
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

// step counts a command. It reports false when there were too many.
func (m *machine) step() bool {
	if m.steps++; m.steps > maxSteps {
		m.giveUp()
	}
	return m.steps <= maxSteps
}

// giveUp notes that the line is more than can be followed.
func (m *machine) giveUp() { m.lost, m.c.Opaque = true, true }

// script follows code that is known.
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
		if i+1 < len(stmts) && !m.typed && interactive(s) { // in a terminal it reads the lines that follow
			m.typed = true
			given = in.then(literal(code[stmts[i+1].Pos().Offset():]))
		}
		out = out.then(m.stmt(s, given))
	}
	return out
}

// typedLines follows a script whose first line alone is the shell's. The other lines go to the
// program that this line starts.
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

// interactive reports whether a statement starts a program that then reads what is typed,
// and nothing else.
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
