// Package child starts the programs that this process communicates with, and ends them together with their
// descendants.
//
// Every program runs in a session of its own. It has no controlling terminal, so it can neither read the user's input
// nor answer the questions that mcpproxy asks on that terminal.
//
// A program can leave its session and its parent by forking twice and calling setsid. On Linux, [Adopt] reparents such
// orphans to this process, and [EndOrphans] kills them. On other systems only the process group is killed.
//
// If this process is killed, it cannot end any orphans. For children of [StartConfined] the kernel does it, if the
// system allows PID namespaces.
package child
