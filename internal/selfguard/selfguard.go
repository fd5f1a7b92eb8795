package selfguard

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"mcpproxy"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/text"
)

// Protected lists what belongs to this firewall, which agents must not touch. The zero value lists nothing, and then
// nothing is guarded.
type Protected struct {
	Home  string // the user's home folder, which "~" stands for; "" when it is not known
	Files []File // files, and the folders that hold them
	// Settings are the settings files of agents that have a hook: absolute paths, or the
	// end of a path in any project's folder (".claude/settings.local.json"). The last
	// element may be a pattern. An agent may write them as long as it says nothing about
	// hooks.
	Settings []string
	Listen   string // host:port of the REST API; a port of 0 is not known
	Process  int    // the id of the daemon's process; 0 when it is not known
	// Watch, if it is not nil, returns further Files and Settings: those of the agents
	// that have a hook or are connected now. It is called for each call, and returns the
	// same pointer for as long as nothing changes.
	Watch func() *Watched
}

// Watched are the files and settings of agents.
type Watched struct {
	Files    []File
	Settings []string
}

// File is a file or folder of this firewall. No agent may change it.
type File struct {
	Path string // absolute
	// Secret says that the file holds keys, so that no agent may read it either.
	Secret bool
	// Within says that the files of the folder are the firewall's too, whatever their names.
	Within bool
}

// Guard checks calls against an [Protected]. It is safe for concurrent use.
type Guard struct {
	Protected

	bases map[string][]int // the indices in Files by the last element of the path, in lower case
	port  string           // of Listen; "" when it is not known

	watched atomic.Pointer[Guard] // this guard with what Watch returned last
	given   *Watched              // what Watch returned when this guard was made
}

// New returns a guard of what belongs to this firewall.
func New(p Protected) *Guard {
	g := &Guard{Protected: p, bases: map[string][]int{}}
	for i, own := range p.Files {
		base := strings.ToLower(path.Base(slashed(own.Path)))
		g.bases[base] = append(g.bases[base], i)
	}
	if i := strings.LastIndexByte(p.Listen, ':'); i >= 0 && p.Listen[i+1:] != "0" {
		g.port = p.Listen[i+1:]
	}
	return g
}

// current returns the guard with the files and settings that its Watch adds now.
func (g *Guard) current() *Guard {
	if g.Watch == nil {
		return g
	}
	given := g.Watch()
	if with := g.watched.Load(); with != nil && with.given == given {
		return with
	}
	own := g.Protected
	own.Files = slices.Concat(g.Files, given.Files)
	own.Settings = slices.Concat(g.Settings, given.Settings)
	with := New(own)
	with.given = given
	g.watched.Store(with)
	return with
}

// Attempt is what a call would do to this firewall. The zero value is nothing.
type Attempt struct {
	Decides string // the command that changes what agents may do
	Stops   string // the command that stops, freezes or traces the firewall or the machine
	Reaches string // the file, process or request of the firewall that the call reaches for
}

// Check returns what a call that does op would do to this firewall. Words are those of
// the tool's name, commands the command lines among the arguments, and doc the arguments.
// Where there are commands, only these are looked at.
func (g *Guard) Check(
	call *mcpproxy.Call,
	op mcpproxy.Operation,
	words []string,
	commands []shell.Command,
	doc *text.Document,
) Attempt {
	now := g.current()
	if len(commands) == 0 {
		return Attempt{Reaches: now.reachedIn(call, op, words, doc)}
	}
	a := Attempt{Reaches: now.reachedBy(commands, call.Dir)}
	for _, c := range commands {
		a.Decides = cmp.Or(a.Decides, c.Decides)
		a.Stops = cmp.Or(a.Stops, c.Stops)
	}
	return a
}

// Reason says why the call is denied; it is empty when the call does nothing to the
// firewall.
func (a Attempt) Reason() string {
	switch {
	case a.Decides != "":
		return "The command runs `" + a.Decides +
			"`, which changes what agents may do, or does it in the user's name. A person decides that, in a terminal of their own."
	case a.Stops != "":
		return "The command runs `" + a.Stops +
			"`, which stops or controls mcpproxy or the machine that it runs on. A person decides that, in a terminal of their own."
	case a.Reaches != "":
		return "The call reaches for `" + a.Reaches +
			"`, which belongs to mcpproxy or has the agent watched. A person decides that, in a terminal of their own."
	}
	return ""
}
