// Package e2e tests mcpproxy from the outside: the built binary, started with a
// written configuration, between real MCP clients and real MCP servers.
//
//   - conformance_test.go asks the outside judge, @modelcontextprotocol/conformance:
//     through /mcp/s/<server> a fixture must score what it scores alone, in both
//     protocol eras; crossed_test.go does the same with the eras crossed.
//   - fidelity_test.go reads a server directly and through mcpproxy and compares bytes.
//   - npm_test.go lets agents use four MCP servers that people really install.
//   - single_sign_on_test.go lets people in with tokens of an OpenID provider from npm.
//   - theft_test.go plays story 1: a key read from a folder is on its way to a chat.
//   - badinput_test.go and misbehave_test.go send what no decent client or server
//     would send, and look at the error, the memory and the other calls.
//   - adversary_test.go plays the catalogue of internal/adversary: attacks must be
//     noticed, benign twins left alone; it writes the table of docs/adversary.md.
//   - lifecycle_test.go starts, reloads, stops and kills the daemon.
//
// The test binary builds everything once ([TestMain]); a test gets a daemon of
// its own from start, which is stopped, and searched for data races and
// surviving children, when the test ends. The test binary also plays the lying
// servers: started with MCPPROXY_E2E_SERVER it is one (server_test.go).
//
// What comes from npm is pinned in npm/package-lock.json and installed with
// `npm ci` when it is missing or out of date, which takes some minutes once.
// Without npm those tests are skipped, except in CI (CI=true), where they fail.
package e2e
