// Package agent holds what is known about each AI agent: its programs, its folder of
// settings, its hooks, its list of MCP servers, and its built-in tools.
//
// One file is one agent, and one value in it. [All] lists the agents. The rooms that
// work with agents read that list and keep no facts about agents of their own:
//
//   - hook translates the payloads of an agent's hooks. The dialect is code, in a file of
//     the same name there.
//   - hook/install writes the hook into the agent's settings.
//   - connect enters mcpproxy among the agent's MCP servers, and reads the others.
//   - classify knows the agent's own tools.
//   - upstream hides [PrivatePaths] from servers.
//   - docs/hooks.md, docs/connect.md and docs/import.md list the agents. The tables are
//     written by `go test ./internal/agent -run Page -update`.
//
// To add an agent, write its file and enter it in [All]. Then run
// `go test ./internal/agent`: TestEveryAgentIsComplete names what is still missing, and
// the file to write.
//
// The package is data and pure functions: it opens no file, reads no environment and
// imports no other room.
package agent
