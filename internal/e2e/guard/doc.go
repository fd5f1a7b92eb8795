// Package guard attacks mcpproxy itself with real processes: the built daemon, the built hook, and an agent that
// starts the hook and the shells of its tools as real agents do.
//
// The agent is this test's own binary under another name (agent_test.go). It starts the hook through "sh -c", with the
// payload on a pipe. It runs the command of the Bash tool with "/bin/bash -c", in a session of its own and without a
// terminal. Most attacks run without asking the hook: they stand for commands that the rules do not recognise. Then
// only the check of the process's ancestors can stop them.
//
//   - decisions_test.go tries to make the user's decisions from a descendant of a tool's shell.
//   - left_test.go makes decisions later, from a process that a tool has left running.
//   - prompts_test.go forges messages of the user.
//   - calls_test.go calls tools without using the agent's own connection.
//   - closed_test.go kills, suspends and removes the daemon.
//   - log_test.go fills the disk, and removes the log and the approvals.
//   - startup_test.go checks with which files the daemon refuses to start, and that other programs cannot read its
//     memory.
//   - servers_test.go runs a server behind mcpproxy that attacks mcpproxy.
//
// The tests run on Linux only, because mcpproxy does not look up processes on other systems. If a program is not
// installed (tmux, node and the like), the test names it and skips the case.
package guard
