// Package rig runs whole programs for tests, as users and agents run them.
//
//   - InFolder and Build build the programs once for a test process.
//   - Start runs a program with a log that can be read while it is written; Process stops or
//     kills it, and Descendants finds the processes that it must not leave behind.
//   - Machine is a user's home with a configuration and a daemon that runs in it.
//   - API asks the REST API of a daemon, over TCP with a key or over its socket, sends it the
//     events of hooks and reads its activity log.
//   - Connect connects an MCP client.
//
// The tests of internal/e2e and of the packages below it use this package, each with a
// configuration of its own. Programs must not import it.
package rig
