// Command soak runs mcpproxy for a long time under the load of a company, and checks that memory, latency and the log
// stay in order: `make soak`.
//
// Fifty agents work with one daemon. Their servers are killed repeatedly, and one server returns faulty answers. The
// agents also attack: they read a text and try to send it to a public channel, plain or encoded. In the first third of
// the time, the daemon is stopped once and killed once. After that it runs without interruption, so that its memory
// can be measured.
//
// The run fails if an attack succeeded, if the log lacks the record of a call that was answered, if the log's chain is
// broken, if memory or the 99th percentile of the latency grew in the second half, or if honest calls were stopped.
// Memory and latency are compared only in runs of four minutes or more, because caches and sessions grow at first.
package main
