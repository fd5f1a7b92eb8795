// Command soak runs mcpproxy for a long time as a company would use it, and checks that it stays as it is:
// `make soak`.
//
// Fifty agents work with one daemon through servers that are killed again and again, one of which answers with
// faults. The agents also attack: they read a text and try to send it to a public channel, plain or encoded.
// The daemon is stopped once and killed once in the first third of the time. Afterwards it runs without a
// pause, so that its memory can be measured.
//
// The run fails if an attack got through, if the log lacks a record of an answer that an agent got, if the
// log's chain is broken, if memory or the 99th percentile of the latency grew in the second half, or if honest
// work stopped. Memory and latency are compared only in runs of four minutes or more, because caches and
// sessions fill first.
package main
