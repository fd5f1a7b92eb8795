// Package agents lets real agents work with mcpproxy's hook installed, without a
// network: the model they ask is a script on the loopback address ([Model]), which
// has them call one tool after the other and keeps what they answer. It speaks the
// wire formats of four agents: the Messages API (Claude Code), the Responses API
// (Codex CLI), Chat Completions (Copilot CLI) and generateContent (Gemini CLI).
//
// Each agent is tried in four ways: a key read from a file does not leave; a
// harmless chain runs to its end; a key read through an MCP server behind mcpproxy
// does not leave by the agent's own shell; without a daemon the agent works.
//
// The agents come from npm, each pinned in a folder of its own with a lock file, so
// that one that cannot be had is not missed by the others. No package's scripts are
// run but Claude Code's, which puts its program in place. `make test-agents`
// installs them; where they are not, the tests say so and are skipped.
package agents
