package client

import (
	"errors"
	"os"
)

// KillFile is the name of the file that, while it is there, denies every call. It
// stands beside the daemon's socket.
const KillFile = "KILL"

// denied is the exit code with which a hook of any agent denies a call. What it says on
// standard error is the reason.
const denied = 2

// errKilled is why calls are denied where no daemon answers.
var errKilled = errors.New(
	"the kill switch is on, and mcpproxy does not answer: every call is denied. `mcpproxy kill off` ends it, in a terminal of the user's own",
)

// killed reports whether the user has stopped everything. That holds without a daemon
// too: a switch that somebody turned must not depend on what else runs.
func killed(socket string) bool {
	_, err := os.Lstat(beside(socket, KillFile))
	return err == nil
}

// Stoppable reports whether a hook of the event, of whatever agent, can stop a call: it
// comes before the call is made. The client reads no payload: an event that is not on the
// command line, where every installed hook has it, stops nothing.
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
