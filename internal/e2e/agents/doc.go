// Package agents runs real agents with mcpproxy's hook installed, without a network. The agents use a scripted model
// on the loopback address ([Model]), which makes them call one tool after another and records the results. The model
// speaks the wire formats of four agents: the Messages API (Claude Code), the Responses API (Codex CLI), Chat
// Completions (Copilot CLI) and generateContent (Gemini CLI).
//
// There are four tests for each agent: a key that was read from a file is stopped; a harmless sequence of calls is not
// disturbed; a key that was read through an MCP server behind mcpproxy is stopped when the agent's own shell sends it;
// and the agent works without a daemon.
//
// The agents come from npm. Each has a folder of its own with a lock file, so that the others can be installed if one
// of them is unavailable. Only the install script of Claude Code is run, because it puts the program in place. `make
// test-agents` installs the agents. If they are not installed, the tests say so and are skipped.
package agents
