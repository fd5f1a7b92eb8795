// Package guard attacks mcpproxy itself, with real processes: the built daemon, the
// built hook, and an agent that starts the hook and its tools' shells as real agents do.
//
// The agent is this test's own binary under another name (agent_test.go). It starts the
// hook through "sh -c", with the payload on a pipe, and runs the Bash tool's command by
// "/bin/bash -c" in a session of its own, without a terminal. Most attacks run without
// asking the hook: they stand for a command whose text the rules did not recognise. What
// then stops them is the check of their ancestors.
//
//   - decisions_test.go takes the user's decisions from below a tool's shell.
//   - left_test.go decides later, from a process that a tool has left behind.
//   - prompts_test.go forges what the user wrote.
//   - calls_test.go calls tools past the agent's own connection.
//   - closed_test.go kills, freezes and removes the daemon.
//   - log_test.go fills the disk, and removes the log and the approvals.
//   - startup_test.go looks at what the daemon refuses to start with, and at its memory.
//   - servers_test.go is a server behind mcpproxy that reaches for its guard.
//
// The tests run on Linux: other systems are not asked about processes. What is not installed (tmux,
// node and the like) is named, and its case is skipped.
package guard
