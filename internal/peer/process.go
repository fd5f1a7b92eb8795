package peer

import (
	"slices"
	"strings"
)

// Process identifies a process until the next boot. The system reuses process ids, but not together
// with the same start time. The zero value identifies no process.
type Process struct {
	PID   int
	Start uint64 // clock ticks from the boot of the system to the start of the process
}

// Known reports whether p identifies a process.
func (p Process) Known() bool { return p.PID > 0 }

// status is the operating system's report about a process.
type status struct {
	Process
	name    string // name of its program, cut to 15 bytes
	parent  int    // process id of the parent; 0 if it is outside this PID namespace
	session int    // process id of the session leader
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

// runsOnly reports whether a shell's command is exactly one program call with these arguments.
// Quotes are ignored, because they cannot add another command.
func runsOnly(command string, args []string) bool {
	plain := func(s string) string {
		return strings.Join(strings.Fields(strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(s)), " ")
	}
	return plain(command) == plain(strings.Join(args, " "))
}
