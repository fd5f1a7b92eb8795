// Package client is what an agent's hook runs: it takes the agent's own payload
// from standard input to the daemon, over the owner's Unix socket, and prints what
// the daemon says.
//
// It knows no agent and no configuration: the payload goes out as it came, and
// the answer names the bytes to print and the code to exit with. So it needs
// little beside the standard library's net and os, is small, and starts at once.
// The HTTP that it speaks is written by hand for that reason (http.go).
//
// Guarantee: it fails as the user wants it. Where the daemon is absent, slow, or answers
// what is not understood, nothing is printed and the exit code is 0, so that the agent
// goes on as if there were no hook; the call is noted in [UnseenFile] for the daemon's next
// start. While [ClosedFile] or [KillFile] is there, every such call is denied instead.
// Once the payload has come, [Run] waits
// [Deadline] for a daemon that says nothing, a little more for large payloads, and
// [Work] more for one that says it is at work. A daemon whose process is seen to
// work, or to wait for a processor, is given [Busy] more: a call must not get
// through unjudged because many are made at once (daemon.go), or because its payload
// is long. In all that is [Longest], for which every agent is told to wait
// (internal/hook/install).
package client
