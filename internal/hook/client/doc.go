// Package client is the program that an agent's hook runs. It sends the agent's payload from
// standard input to the daemon over the owner's Unix socket, and prints the daemon's answer.
//
// The client knows neither agents nor the configuration. It sends the payload unchanged, and the
// answer contains the bytes to print and the exit code. It therefore needs little more than net and
// os of the standard library and starts quickly. For the same reason it has its own small HTTP
// client (http.go).
//
// Guarantee: the user chooses whether the client fails open or closed. This applies if the daemon
// is absent, is too slow, or sends an invalid answer:
//
//   - By default the client prints nothing and exits with 0, and the agent continues as if there were
//     no hook. The client records the call in [UnseenFile]; the daemon reads the file at its next start.
//   - While [ClosedFile] or [KillFile] exists, the client denies the call instead.
//
// After the payload has arrived, [Run] waits [Deadline] for a silent daemon, a little longer for
// large payloads, and [Work] longer for a daemon that reports that it is working. If the daemon's
// process is seen to work, or to wait for a processor, [Run] waits [Busy] longer (daemon.go). A
// call must not pass unjudged because many calls come at once, or because its payload is long. The
// sum is [Longest], and every agent is configured to wait that long (internal/hook/install).
package client
