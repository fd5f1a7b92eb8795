// Package e2e tests mcpproxy from the outside: it starts the built binary with a written configuration, between real
// MCP clients and real MCP servers.
//
//   - conformance_test.go runs an independent test suite, @modelcontextprotocol/conformance: a server must pass the
//     same tests through /mcp/s/<server> as without mcpproxy, in both protocol eras. crossed_test.go does the same
//     with a client and a server of different eras.
//   - fidelity_test.go reads a server directly and through mcpproxy and compares the bytes.
//   - npm_test.go connects agents to four widely used MCP servers.
//   - single_sign_on_test.go authenticates callers with tokens of an OpenID provider from npm.
//   - theft_test.go plays story 1: an agent reads a key from a folder and tries to send it to a chat.
//   - badinput_test.go and misbehave_test.go send malformed and excessive messages, and check the error, the memory
//     and the other calls.
//   - adversary_test.go plays the catalogue of internal/adversary: mcpproxy must notice the attacks and must not
//     disturb their benign variants. The test writes the table of docs/adversary.md.
//   - lifecycle_test.go starts, reloads, stops and kills the daemon.
//
// The test binary builds everything once ([TestMain]). Each test gets a daemon of its own from start. When the test
// ends, the daemon is stopped, and the test fails if there were data races or if child processes survive. The test
// binary also plays the misbehaving servers: with MCPPROXY_E2E_SERVER it starts as one of them (server_test.go).
//
// The packages from npm are pinned in npm/package-lock.json. If they are missing or out of date, `npm ci` installs
// them, which takes some minutes once. Without npm the tests that need them are skipped, but in CI (CI=true) they
// fail.
package e2e
