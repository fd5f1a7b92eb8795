package peer

import (
	"slices"
	"strings"
)

// Process identifies a process for as long as the system runs: process identifiers are
// used again, together with the start time they are not. The zero value is no process.
type Process struct {
	PID   int
	Start uint64 // clock ticks from the boot of the system to the start of the process
}

// Known reports whether p is a process.
func (p Process) Known() bool { return p.PID > 0 }

// status is what the system tells about a process.
type status struct {
	Process
	name    string // of its program, at most 15 bytes of it
	parent  int    // process identifier; 0 for none in this PID namespace
	session int    // process identifier of the session's leader
}

// shells are the programs that run other programs for an agent. Agents start their
// hooks and their tools through one of them, or directly.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "busybox"}

// isShell reports whether p runs a shell.
func (p Process) isShell() bool { return slices.Contains(shells, p.name()) }

// commandOf returns the command that a shell was started to run ("sh -c COMMAND");
// ok is false for interactive shells and for scripts.
func commandOf(args []string) (command string, ok bool) {
	for i, a := range args[min(1, len(args)):] {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c") && i+2 < len(args) {
			return args[i+2], true
		}
		if !strings.HasPrefix(a, "-") {
			return "", false
		}
	}
	return "", false
}

// runsOnly reports whether a shell's command is exactly one program call with these
// arguments. Quotes are ignored: they add nothing that could run.
func runsOnly(command string, args []string) bool {
	plain := func(s string) string {
		return strings.Join(strings.Fields(strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(s)), " ")
	}
	return plain(command) == plain(strings.Join(args, " "))
}
