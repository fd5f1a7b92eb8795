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

// Protected lists what belongs to this firewall and agents must not touch. The zero value protects
// nothing.
type Protected struct {
	Home  string // the user's home folder, for "~"; "" if unknown
	Files []File // files, and the folders that contain them
	// Settings are the settings files of agents that have a hook: absolute paths, or the end of a
	// path in any project's folder (".claude/settings.local.json"). The last element may be a
	// pattern. An agent may write such a file as long as the new text does not mention hooks.
	Settings []string
	Listen   string // host:port of the REST API; port 0 if unknown
	Process  int    // process id of the daemon; 0 if unknown
	// Watch, if not nil, returns further Files and Settings: those of the agents that now have a
	// hook or are connected. It is called for each call and must return the same pointer as long as
	// nothing changes.
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
	// Secret says that the file contains keys, so agents may not read it either.
	Secret bool
	// Within says that all files in the folder belong to the firewall.
	Within bool
}

// Guard checks calls against a [Protected]. It is safe for concurrent use.
type Guard struct {
	Protected

	bases map[string][]int // indices in Files by the last path element, in lower case
	port  string           // port of Listen; "" if unknown

	watched atomic.Pointer[Guard] // guard for the last result of Watch
	given   *Watched              // result of Watch when this guard was made
}

// New returns a guard for the given files, settings and addresses.
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

// current returns a guard that includes the current result of Watch.
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

// Attempt is the harm that a call would do to this firewall. The zero value is no harm.
type Attempt struct {
	Decides string // the command that changes what agents may do
	Stops   string // the command that stops, freezes or traces the firewall or the machine
	Reaches string // the file, process or request of the firewall that the call reaches for
}

// Check returns what a call with operation op would do to this firewall. Words are the words of the
// tool's name, commands the command lines in the arguments, and doc the arguments. If there are
// command lines, only they are checked.
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

// Reason says why the call is denied. It is empty if the call does not affect the firewall.
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
			"`, which belongs to mcpproxy or to the hooks that watch the agent. A person decides that, in a terminal of their own."
	}
	return ""
}
