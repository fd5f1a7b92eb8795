// Package agent contains the known facts about each AI agent: its programs, its settings folder, its hooks, its list
// of MCP servers, and its built-in tools.
//
// Each agent has one file with one value. [All] lists the agents. The packages that work with agents read that list
// and contain no facts about agents themselves:
//
//   - hook translates the payloads of an agent's hooks. The dialect is code, in a file with the same name there.
//   - hook/install writes the hook into the agent's settings.
//   - connect adds mcpproxy to the agent's MCP servers, and reads the others.
//   - classify knows the agent's own tools.
//   - upstream hides [PrivatePaths] from servers.
//   - docs/hooks.md, docs/connect.md and docs/import.md list the agents. `go test ./internal/agent -run Page -update`
//     writes the tables.
//
// To add an agent, write its file and add it to [All]. Then run `go test ./internal/agent`: TestEveryAgentIsComplete
// names what is still missing, and the file to write.
//
// The package contains data and pure functions. It opens no file, does not read the environment and imports no other
// package of this program.
package agent
