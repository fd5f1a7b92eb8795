package client

import (
	"errors"
	"os"
)

// KillFile is the name of the file that denies every call while it exists. It is next to the
// daemon's socket.
const KillFile = "KILL"

// denied is the exit code with which the hook of any agent denies a call. The text on standard
// error is the reason.
const denied = 2

// errKilled is the reason for denied calls if no daemon answers.
var errKilled = errors.New(
	"the kill switch is on, and mcpproxy does not answer: every call is denied. `mcpproxy kill off` ends it, in a terminal of the user's own",
)

// killed reports whether the kill switch is on. The switch works without a daemon, so that it does
// not depend on a running program.
func killed(socket string) bool {
	_, err := os.Lstat(beside(socket, KillFile))
	return err == nil
}

// Stoppable reports whether a hook of the event can stop a call, for any agent: the event comes
// before the call. The client does not parse payloads. Installed hooks have the event on their
// command line; without it, the event stops nothing.
func Stoppable(event string) bool {
	switch event {
	case "PreToolUse",
		"preToolUse",
		"BeforeTool",
		"beforeShellExecution",
		"beforeMCPExecution",
		"beforeReadFile",
		"tool.execute.before":
		return true
	}
	return false
}
