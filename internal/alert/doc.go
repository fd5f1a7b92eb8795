// Package alert posts urgent events to a webhook: stopped calls, flows of high and critical
// risk, changed definitions, and a log or a definition that was tampered with.
//
// A [Sender] receives events with their records and posts JSON. The JSON contains names,
// decisions, counts and the masked reason of a record. It never contains arguments, results or
// evidence, so the receiver learns no secret. Each body is signed if a signing secret is
// configured.
//
// Events with the same rule, tool and session are one alert. The sender posts the first one at
// once and counts the others. When the window ends, it posts their number as one more alert.
//
// Sending never blocks the caller. If a receiver fails, the sender tries again with growing
// pauses. Events that do not fit into the queue are dropped, and [Webhook] counts them.
package alert
