// Package peer says which process is at the other end of a connection, and whether
// that process may do what it asks.
//
// A program that an agent's shell has started can write any text: a prompt that the
// user never wrote, an approval, a call of a tool. It cannot choose its ancestors. So
// the daemon asks the operating system who speaks (the process identifier of a Unix
// socket's peer, or of the owner of a loopback TCP socket) and looks up the tree of
// processes from there.
//
// A [Registry] knows the processes of agents: whoever starts mcpproxy's hook or its
// stdio bridge is one. Three rules follow, from strict to lenient:
//
//   - Decisions (approving, releasing, uninstalling, stopping) are refused to an agent
//     and to everything below it ([Registry.MayDecide]).
//   - Calls of tools are refused to what an agent's tool has started, and accepted from
//     the agent itself and from its own helpers, such as the bridge ([Registry.MayCall]).
//   - Events of a hook are accepted from the hook processes that the agent starts itself
//     ([Registry.Hook]).
//
// A process that has left its parent is attributed to an agent if it is a child of init
// that init did not start itself, shares the agent's control group, and began while the agent
// ran; the agent may have ended since ([Registry.Keep] remembers it over restarts). A
// connection whose maker has ended is refused once any agent is known: somebody else
// uses it. Servers that the daemon has started may not use it at all.
//
// Guarantee: a refusal always rests on a fact that the system has told. Where the system
// does not tell (other systems than Linux, another PID namespace, another user's
// process), nothing is refused here, and the rules about texts of commands remain.
package peer
