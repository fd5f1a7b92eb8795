// Package alert tells a webhook what an operator wants to hear at once: calls
// that were stopped, flows of high and critical risk, definitions that changed
// state, a log or a definition that is not what it was.
//
// A [Sender] hears events with their records and posts JSON. What is posted is
// made of a record's names, decisions and counts, and of its reason, which is
// masked already: never of arguments, results or evidence, so that a receiver
// learns no secret. Each body is signed when there is a secret to sign with.
//
// The same rule about the same tool in the same session is one alert: the first
// is posted at once, and what follows within the window is counted and posted as
// one more when the window ends.
//
// Hearing never blocks. A receiver that fails is tried again with growing pauses;
// what cannot be queued is dropped, and counted in [Webhook].
package alert
