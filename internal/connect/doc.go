// Package connect knows which MCP servers agents are configured with. It enters
// mcpproxy among them, takes it out again, and reads the others.
//
// One list of servers in one file of one agent is one [Place]; [Plan.Apply] makes
// what [Place.Connect] or [Place.Disconnect] planned, and [Plan.Diff] shows it.
// [Place.Servers] are the servers of a place, and [ReadFile] those of any file, in
// the words of this program's own configuration.
//
// What it guarantees:
//
//   - A file keeps its comments, order, formatting, mode and other servers. One that
//     cannot be read, or that could not be changed without touching anything else, is
//     left alone.
//   - Connecting twice is connecting once. Disconnecting gives back the very bytes
//     from before, when nobody else has changed the file since; else it removes our
//     entry and nothing more.
//   - Nothing that is written holds a key or a secret: a program that finds the
//     daemon by its socket, or the address of a listener that needs no key.
//   - An entry under our name that leads elsewhere is never replaced.
package connect
