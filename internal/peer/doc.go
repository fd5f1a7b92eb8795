// Package peer finds the process at the other end of a connection and decides whether that process
// may do what it asks.
//
// A program that an agent's shell has started can send any text: a prompt that the user never
// wrote, an approval, or a tool call. It cannot choose its ancestors. So the daemon asks the
// operating system for the sending process (the process id of a Unix socket's peer, or of the owner
// of a loopback TCP socket) and reads its ancestors in the process tree.
//
// A [Registry] knows the processes of agents: a process that starts mcpproxy's hook or its stdio
// bridge is an agent. Three rules follow, from strict to lenient:
//
//   - Decisions (approving, releasing, uninstalling, stopping) are refused to an agent
//     and to all its descendants ([Registry.MayDecide]).
//   - Tool calls are refused to processes that an agent's tool has started. They are accepted
//     from the agent itself and from its own helpers, such as the bridge ([Registry.MayCall]).
//   - Hook events are accepted from the hook processes that the agent starts itself
//     ([Registry.Hook]).
//
// A process that has left its parent is attributed to an agent if it is a child of init that init
// did not start, shares the agent's control group, and began while the agent ran. The agent may
// have ended since; [Registry.Keep] remembers it over restarts. If the process that opened a
// connection has ended and any agent is known, requests on the connection are refused, because
// another process now uses it. Servers that the daemon has started may do none of the three.
//
// Guarantee: a refusal always rests on a fact that the operating system reports. If the system does
// not report it (systems other than Linux, another PID namespace, another user's process), this
// package refuses nothing, and the rules about command lines in package selfguard remain.
package peer
