// Package child starts the programs that this process talks to, and ends them with all that they started.
//
// Every program gets a session of its own. It has no controlling terminal, so it can neither read what the user
// types nor answer the questions that mcpproxy asks on that terminal.
//
// A program can leave its session and its parent: it forks twice and calls setsid. On Linux [Adopt] makes such
// orphans children of this process, and [EndOrphans] ends them. Elsewhere only the process group is ended.
//
// When this process is killed, nobody is left to end its orphans. The kernel then ends those of a child that
// [StartConfined] began, where the system allows namespaces of process IDs.
package child
