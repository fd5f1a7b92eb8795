// Package connect edits the lists of MCP servers in the configuration files of agents. It
// adds mcpproxy to a list, removes it again, and reads the other servers.
//
// A [Place] is one list of servers in one file of one agent. [Place.Connect] and
// [Place.Disconnect] return a [Plan]; [Plan.Diff] shows the change and [Plan.Apply] makes it.
// [Place.Servers] and [ReadFile] return servers in the form of mcpproxy's own configuration.
//
// Guarantees:
//
//   - A file keeps its comments, order, formatting, mode and other servers. A file that
//     cannot be read, or cannot be changed without touching anything else, stays unchanged.
//   - Connecting a second time changes nothing. Disconnecting restores the exact bytes from
//     before if nobody else has changed the file since; otherwise it removes only the entry
//     of mcpproxy.
//   - The entry holds no key: it names a program that finds the daemon by its socket, or the
//     address of a listener that needs no key. A token is written only where the caller of
//     [Place.Connect] gives one.
//   - An entry named mcpproxy that points elsewhere is never replaced.
package connect
